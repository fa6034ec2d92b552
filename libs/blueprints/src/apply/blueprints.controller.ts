import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { Identity, JsonObject } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { ApplyBlueprint } from './apply.handlers.js';
import { ListBindings, type BindingFilter } from '../bindings/bindings.queries.js';
import { DeleteBlueprint, SetProtection } from './lifecycle.handlers.js';
import type { ApplyBody } from '../plan/request.decide.js';

@Controller()
export class BlueprintsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('/v1/blueprints/apply')
  @HttpCode(200)
  apply(@Who() who: Identity, @Body() body: ApplyBody): Promise<JsonObject> {
    return this.commands.execute(new ApplyBlueprint(who, body));
  }

  @Get('/v1/blueprints/bindings')
  bindings(@Who() who: Identity, @ContractQuery() filter: BindingFilter): Promise<JsonObject> {
    return this.queries.execute(new ListBindings(who, filter));
  }

  @Put('/v1/blueprints/:blueprint_key/protection')
  protection(
    @Who() who: Identity,
    @Param('blueprint_key') blueprintKey: string,
    @ContractQuery('namespace') namespace: string | undefined,
    @Body() body: { protected: boolean },
  ): Promise<JsonObject> {
    return this.commands.execute(
      new SetProtection(who, { namespace: namespace ?? null, blueprintKey }, body.protected),
    );
  }

  @Delete('/v1/blueprints/:blueprint_key')
  delete(
    @Who() who: Identity,
    @Param('blueprint_key') blueprintKey: string,
    @ContractQuery() query: { namespace?: string; delete_retained?: boolean },
  ): Promise<JsonObject> {
    return this.commands.execute(
      new DeleteBlueprint(who, { namespace: query.namespace ?? null, blueprintKey }, query.delete_retained ?? false),
    );
  }
}
