import type { Reply } from '@aos/contract';
import { CallerCommand, Routed } from '@aos/platform';

/** Runs a routine now. */
export class RunRoutine extends CallerCommand<{ routine_id: string }, Reply<'runRoutineNow'>> {}

const dueOccurrence = {
  type: 'object',
  required: ['routine_id', 'due_at'],
  properties: {
    routine_id: { type: 'string' },
    due_at: { type: 'string' },
    missed: { type: 'array', items: { type: 'string' } },
  },
};

/**
 * A due time of a schedule came; `missed`: the times that were passed over before it (RFC 3339). The reply names the
 * due time that counts as run: an earlier one, when its run was taken up before a crash kept the timer where it stood.
 */
@Routed('occurrences.take', { stream: 'occurrence', input: dueOccurrence, callers: 'system' })
export class TakeOccurrence extends CallerCommand<
  { routine_id: string; due_at: string; missed?: string[] },
  { occurrence_id: string | null; due_at?: string }
> {}
