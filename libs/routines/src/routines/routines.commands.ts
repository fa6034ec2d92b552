import type { Reply } from '@aos/contract';
import { CallerCommand, Routed } from '@aos/platform';
import type { CreateRoutineDto, UpdateRoutineDto } from './routines.dto.js';

export class CreateRoutine extends CallerCommand<CreateRoutineDto, Reply<'createRoutine'>> {}

export class UpdateRoutine extends CallerCommand<
  { routine_id: string; body: UpdateRoutineDto },
  Reply<'updateRoutine'>
> {}

/** The changes of status that a caller may ask for. */
export type RoutineAct = 'pause' | 'resume' | 'cancel';

export class ActOnRoutine extends CallerCommand<{ routine_id: string; act: RoutineAct }, Reply<'pauseRoutine'>> {}

const routine = { type: 'object', required: ['routine_id'], properties: { routine_id: { type: 'string' } } };

/** Has the service that writes routines look whether one can go on, and pause it when it cannot. */
@Routed('routines.verify', { stream: 'routine', input: routine, callers: 'system' })
export class VerifyRoutine extends CallerCommand<{ routine_id: string }, { fault: string | null }> {}
