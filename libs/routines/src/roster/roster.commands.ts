import type { Reply, RequestBody } from '@aos/contract';
import { CallerCommand } from '@aos/platform';
import type { RoutineRelationship } from '../routine/routine.events.js';

export class AddRoutinePrincipal extends CallerCommand<
  { routine_id: string; body: RequestBody<'addRoutinePrincipal'> },
  Reply<'addRoutinePrincipal'>
> {}

/** `relationship`: null takes the principal off in all of them. */
export class RemoveRoutinePrincipal extends CallerCommand<
  { routine_id: string; principal_id: string; relationship: RoutineRelationship | null },
  void
> {}
