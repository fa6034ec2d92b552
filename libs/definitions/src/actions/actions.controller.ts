import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { QueryOf, Reply, RequestBody } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { actionResource } from '../resources/action-resource.js';
import { ChangeDefinition, CreateDefinition, DeleteDefinition } from '../resources/definitions.commands.js';
import { DefinitionQueries } from '../resources/definitions.queries.js';
import { RotateActionSecret } from './actions.handlers.js';

@Controller()
export class ActionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: DefinitionQueries,
  ) {}

  @Post('/v1/actions')
  @HttpCode(201)
  create(@Who() who: Identity, @Body() body: RequestBody<'createAction'>): Promise<Reply<'createAction'>> {
    return this.commands.execute(new CreateDefinition(who, { resource: actionResource, body }));
  }

  @Get('/v1/actions')
  list(@Who() who: Identity, @ContractQuery() filter: QueryOf<'listActions'>): Promise<Reply<'listActions'>> {
    return this.queries.list(actionResource, who, filter);
  }

  @Get('/v1/actions/:action_name')
  get(@Who() who: Identity, @Param('action_name') name: string): Promise<Reply<'getAction'>> {
    return this.queries.get(actionResource, who, name);
  }

  @Patch('/v1/actions/:action_name')
  change(
    @Who() who: Identity,
    @Param('action_name') name: string,
    @Body() body: RequestBody<'updateAction'>,
  ): Promise<Reply<'updateAction'>> {
    return this.commands.execute(new ChangeDefinition(who, { resource: actionResource, ref: name, body }));
  }

  @Delete('/v1/actions/:action_name')
  @HttpCode(204)
  delete(@Who() who: Identity, @Param('action_name') name: string): Promise<void> {
    return this.commands.execute(new DeleteDefinition(who, { resource: actionResource, ref: name }));
  }

  @Post('/v1/actions/:action_name/secret/rotate')
  @HttpCode(200)
  rotate(@Who() who: Identity, @Param('action_name') name: string): Promise<Reply<'rotateActionSecret'>> {
    return this.commands.execute(new RotateActionSecret(who, { action_name: name }));
  }
}
