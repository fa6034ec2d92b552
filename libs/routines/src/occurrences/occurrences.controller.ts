import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { QueryOf, Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { RunRoutine } from './occurrences.commands.js';
import { OccurrenceQueries } from './occurrences.queries.js';

@Controller()
export class OccurrencesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: OccurrenceQueries,
  ) {}

  @Get('/v1/routines/occurrences')
  list(
    @Who() who: Identity,
    @ContractQuery() filter: QueryOf<'listRoutineOccurrences'>,
  ): Promise<Reply<'listRoutineOccurrences'>> {
    return this.queries.list(who, filter);
  }

  @Post('/v1/routines/:routine_id/run')
  @HttpCode(202)
  run(@Who() who: Identity, @Param('routine_id') routineId: string): Promise<Reply<'runRoutineNow'>> {
    return this.commands.execute(new RunRoutine(who, { routine_id: routineId }));
  }
}
