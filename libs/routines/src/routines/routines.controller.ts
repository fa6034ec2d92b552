import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { notFound, type Identity, type JsonObject } from '@aos/kernel';
import { ContractQuery, RulesBody, Who, type PageQuery } from '@aos/platform';
import { CreateRoutineDto, UpdateRoutineDto } from './routines.dto.js';
import { ActOnRoutine, CreateRoutine, UpdateRoutine } from './routines.handlers.js';
import { GetRoutine, ListRoutineChanges, ListRoutines, type RoutineFilter } from './routines.queries.js';

@Controller()
export class RoutinesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('/v1/routines')
  list(@Who() who: Identity, @ContractQuery() filter: RoutineFilter): Promise<JsonObject> {
    return this.queries.execute(new ListRoutines(who, filter));
  }

  @Post('/v1/routines')
  @HttpCode(201)
  create(@Who() who: Identity, @RulesBody(CreateRoutineDto) body: CreateRoutineDto): Promise<JsonObject> {
    return this.commands.execute(new CreateRoutine(who, body));
  }

  @Get('/v1/routines/:routine_id')
  get(@Who() who: Identity, @Param('routine_id') routineId: string): Promise<JsonObject> {
    return this.queries.execute(new GetRoutine(who, routineId));
  }

  @Patch('/v1/routines/:routine_id')
  update(
    @Who() who: Identity,
    @Param('routine_id') routineId: string,
    @RulesBody(UpdateRoutineDto) body: UpdateRoutineDto,
  ): Promise<JsonObject> {
    return this.commands.execute(new UpdateRoutine(who, routineId, body));
  }

  @Delete('/v1/routines/:routine_id')
  @HttpCode(200)
  cancel(@Who() who: Identity, @Param('routine_id') routineId: string): Promise<JsonObject> {
    return this.commands.execute(new ActOnRoutine(who, routineId, 'cancel'));
  }

  @Post('/v1/routines/:routine_id/pause')
  @HttpCode(200)
  pause(@Who() who: Identity, @Param('routine_id') routineId: string): Promise<JsonObject> {
    return this.commands.execute(new ActOnRoutine(who, routineId, 'pause'));
  }

  @Post('/v1/routines/:routine_id/resume')
  @HttpCode(200)
  resume(@Who() who: Identity, @Param('routine_id') routineId: string): Promise<JsonObject> {
    return this.commands.execute(new ActOnRoutine(who, routineId, 'resume'));
  }

  @Get('/v1/routines/:routine_id/changes')
  changes(
    @Who() who: Identity,
    @Param('routine_id') routineId: string,
    @ContractQuery() page: PageQuery,
  ): Promise<JsonObject> {
    return this.queries.execute(new ListRoutineChanges(who, routineId, page));
  }

  /** Nothing here proposes routines (rule R41 lists what agents may do): no proposal has ever been made. */
  @Post('/v1/routines/proposals/:proposal_id/approve')
  approve(): never {
    throw notFound('proposal');
  }

  @Post('/v1/routines/proposals/:proposal_id/dismiss')
  dismiss(): never {
    throw notFound('proposal');
  }
}
