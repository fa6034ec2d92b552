import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { QueryOf, Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, RulesBody, Who } from '@aos/platform';
import { CreateRoutineDto, UpdateRoutineDto } from './routines.dto.js';
import { ActOnRoutine, CreateRoutine, UpdateRoutine } from './routines.commands.js';
import { RoutineQueries } from './routines.queries.js';

@Controller()
export class RoutinesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: RoutineQueries,
  ) {}

  @Get('/v1/routines')
  list(@Who() who: Identity, @ContractQuery() filter: QueryOf<'listRoutines'>): Promise<Reply<'listRoutines'>> {
    return this.queries.list(who, filter);
  }

  @Post('/v1/routines')
  @HttpCode(201)
  create(@Who() who: Identity, @RulesBody(CreateRoutineDto) body: CreateRoutineDto): Promise<Reply<'createRoutine'>> {
    return this.commands.execute(new CreateRoutine(who, body));
  }

  @Get('/v1/routines/:routine_id')
  get(@Who() who: Identity, @Param('routine_id') routineId: string): Promise<Reply<'getRoutine'>> {
    return this.queries.get(who, routineId);
  }

  @Patch('/v1/routines/:routine_id')
  update(
    @Who() who: Identity,
    @Param('routine_id') routineId: string,
    @RulesBody(UpdateRoutineDto) body: UpdateRoutineDto,
  ): Promise<Reply<'updateRoutine'>> {
    return this.commands.execute(new UpdateRoutine(who, { routine_id: routineId, body }));
  }

  @Delete('/v1/routines/:routine_id')
  @HttpCode(200)
  cancel(@Who() who: Identity, @Param('routine_id') routineId: string): Promise<Reply<'deleteRoutine'>> {
    return this.commands.execute(new ActOnRoutine(who, { routine_id: routineId, act: 'cancel' }));
  }

  @Post('/v1/routines/:routine_id/pause')
  @HttpCode(200)
  pause(@Who() who: Identity, @Param('routine_id') routineId: string): Promise<Reply<'pauseRoutine'>> {
    return this.commands.execute(new ActOnRoutine(who, { routine_id: routineId, act: 'pause' }));
  }

  @Post('/v1/routines/:routine_id/resume')
  @HttpCode(200)
  resume(@Who() who: Identity, @Param('routine_id') routineId: string): Promise<Reply<'resumeRoutine'>> {
    return this.commands.execute(new ActOnRoutine(who, { routine_id: routineId, act: 'resume' }));
  }

  @Get('/v1/routines/:routine_id/changes')
  changes(
    @Who() who: Identity,
    @Param('routine_id') routineId: string,
    @ContractQuery() page: QueryOf<'listRoutineChanges'>,
  ): Promise<Reply<'listRoutineChanges'>> {
    return this.queries.changes(who, routineId, page);
  }
}
