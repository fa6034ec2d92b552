import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { Identity, JsonObject } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import type { DesiredAction, NewAction } from '../action/action.state.js';
import { ChangeAction, CreateAction, DeleteAction, RotateActionSecret } from './actions.handlers.js';
import { GetAction, ListActions, type ActionFilter } from './actions.queries.js';

@Controller()
export class ActionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('/v1/actions')
  @HttpCode(201)
  create(@Who() who: Identity, @Body() body: NewAction): Promise<JsonObject> {
    return this.commands.execute(new CreateAction(who, body));
  }

  @Get('/v1/actions')
  list(@Who() who: Identity, @ContractQuery() filter: ActionFilter): Promise<JsonObject> {
    return this.queries.execute(new ListActions(who, filter));
  }

  @Get('/v1/actions/:action_name')
  get(@Who() who: Identity, @Param('action_name') name: string): Promise<JsonObject> {
    return this.queries.execute(new GetAction(who, name));
  }

  @Patch('/v1/actions/:action_name')
  change(@Who() who: Identity, @Param('action_name') name: string, @Body() body: DesiredAction): Promise<JsonObject> {
    return this.commands.execute(new ChangeAction(who, name, body));
  }

  @Delete('/v1/actions/:action_name')
  @HttpCode(204)
  delete(@Who() who: Identity, @Param('action_name') name: string): Promise<void> {
    return this.commands.execute(new DeleteAction(who, name));
  }

  @Post('/v1/actions/:action_name/secret/rotate')
  @HttpCode(200)
  rotate(@Who() who: Identity, @Param('action_name') name: string): Promise<JsonObject> {
    return this.commands.execute(new RotateActionSecret(who, name));
  }
}
