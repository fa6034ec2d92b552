import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Reply, RequestBody } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import type { RoutineRelationship } from '../routine/routine.events.js';
import { AddRoutinePrincipal, RemoveRoutinePrincipal } from './roster.commands.js';
import { RosterQueries } from './roster.queries.js';

@Controller()
export class RosterController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: RosterQueries,
  ) {}

  @Get('/v1/routines/:routine_id/principals')
  roster(@Who() who: Identity, @Param('routine_id') routineId: string): Promise<Reply<'listRoutinePrincipals'>> {
    return this.queries.list(who, routineId);
  }

  @Post('/v1/routines/:routine_id/principals')
  @HttpCode(200)
  addPrincipal(
    @Who() who: Identity,
    @Param('routine_id') routineId: string,
    @Body() body: RequestBody<'addRoutinePrincipal'>,
  ): Promise<Reply<'addRoutinePrincipal'>> {
    return this.commands.execute(new AddRoutinePrincipal(who, { routine_id: routineId, body }));
  }

  @Delete('/v1/routines/:routine_id/principals/:principal_id')
  @HttpCode(204)
  removePrincipal(
    @Who() who: Identity,
    @Param('routine_id') routineId: string,
    @Param('principal_id') principalId: string,
    @ContractQuery('relationship') relationship: RoutineRelationship | undefined,
  ): Promise<void> {
    const input = { routine_id: routineId, principal_id: principalId, relationship: relationship ?? null };
    return this.commands.execute(new RemoveRoutinePrincipal(who, input));
  }
}
