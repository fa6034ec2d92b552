import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { Identity, JsonObject } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { ListOccurrences, type OccurrenceFilter } from './occurrences.queries.js';
import { RunRoutine } from './run-now.handlers.js';

@Controller()
export class OccurrencesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('/v1/routines/occurrences')
  list(@Who() who: Identity, @ContractQuery() filter: OccurrenceFilter): Promise<JsonObject> {
    return this.queries.execute(new ListOccurrences(who, filter));
  }

  @Post('/v1/routines/:routine_id/run')
  @HttpCode(202)
  run(@Who() who: Identity, @Param('routine_id') routineId: string): Promise<JsonObject> {
    return this.commands.execute(new RunRoutine(who, routineId));
  }
}
