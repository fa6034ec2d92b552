import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import type { Identity, JsonObject } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import type { RoutineRelationship } from '../routine/routine.events.js';
import { Rosters, type AddPrincipal } from './rosters.js';

@Controller()
export class RosterController {
  constructor(private readonly rosters: Rosters) {}

  @Get('/v1/routines/:routine_id/principals')
  roster(@Who() who: Identity, @Param('routine_id') routineId: string): Promise<JsonObject> {
    return this.rosters.list(who, routineId);
  }

  @Post('/v1/routines/:routine_id/principals')
  @HttpCode(200)
  addPrincipal(
    @Who() who: Identity,
    @Param('routine_id') routineId: string,
    @Body() body: AddPrincipal,
  ): Promise<JsonObject> {
    return this.rosters.add(who, routineId, body);
  }

  @Delete('/v1/routines/:routine_id/principals/:principal_id')
  @HttpCode(204)
  removePrincipal(
    @Who() who: Identity,
    @Param('routine_id') routineId: string,
    @Param('principal_id') principalId: string,
    @ContractQuery('relationship') relationship: RoutineRelationship | undefined,
  ): Promise<void> {
    return this.rosters.remove(who, routineId, principalId, relationship ?? null);
  }
}
