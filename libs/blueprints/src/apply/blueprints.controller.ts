import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import type { QueryOf, Reply, RequestBody } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, Who, warn } from '@aos/platform';
import { ModelWarningQueries } from '@aos/definitions/published';
import { BindingQueries } from '../bindings/bindings.queries.js';
import { ApplyBlueprint, DeleteBlueprint, SetProtection } from './apply.commands.js';
import type { ApplyBody } from '../plan/request.decide.js';

@Controller()
export class BlueprintsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: BindingQueries,
    private readonly warnings: ModelWarningQueries,
  ) {}

  @Post('/v1/blueprints/apply')
  @HttpCode(200)
  async apply(
    @Who() who: Identity,
    @ContractQuery() { include }: QueryOf<'applyBlueprint'>,
    @Body() body: ApplyBody,
    @Body('resources') { agents = [] }: RequestBody<'applyBlueprint'>['resources'],
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Reply<'applyBlueprint'>> {
    const result = await this.commands.execute(new ApplyBlueprint(who, { body, includesValues: include === 'values' }));
    warn(reply, this.warnings.ofBlueprint(agents));
    return result;
  }

  @Get('/v1/blueprints/bindings')
  bindings(
    @Who() who: Identity,
    @ContractQuery() filter: QueryOf<'listBlueprintBindings'>,
  ): Promise<Reply<'listBlueprintBindings'>> {
    return this.queries.list(who, filter);
  }

  @Put('/v1/blueprints/:blueprint_key/protection')
  protection(
    @Who() who: Identity,
    @Param('blueprint_key') blueprintKey: string,
    @ContractQuery('namespace') namespace: string | undefined,
    @Body() body: RequestBody<'setBlueprintProtection'>,
  ): Promise<Reply<'setBlueprintProtection'>> {
    const identity = { namespace: namespace ?? null, blueprintKey };
    return this.commands.execute(new SetProtection(who, { identity, isProtected: body.protected }));
  }

  @Delete('/v1/blueprints/:blueprint_key')
  delete(
    @Who() who: Identity,
    @Param('blueprint_key') blueprintKey: string,
    @ContractQuery() query: QueryOf<'deleteBlueprint'>,
  ): Promise<Reply<'deleteBlueprint'>> {
    const identity = { namespace: query.namespace ?? null, blueprintKey };
    const deletesRetained = query.delete_retained ?? false;
    return this.commands.execute(new DeleteBlueprint(who, { identity, deletesRetained }));
  }
}
