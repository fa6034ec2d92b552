import { invalidArgument, isSoftware } from '@aos/kernel';
import type { RoutineRecord } from './routine.events.js';
import type { Caller } from './reach.decide.js';

type Acting = Pick<RoutineRecord, 'act_as_user_providers' | 'act_as_user_by' | 'run_as'>;

/** The providers whose accounts of the person that it runs as its runs may use (rule TE24). */
export function actingProviders({ act_as_user_providers: providers, act_as_user_by: by, run_as }: Acting): string[] {
  return by !== undefined && by === run_as.id ? [...providers] : [];
}

/**
 * What a record keeps of the providers that a body names; null: the body says nothing of them.
 *
 * Takes    who it runs as from then on.
 * Gives    no provider where another principal decides what the routine does: it would speak for the person.
 * Refuses  invalid_argument {argument: act_as_user_providers} for a caller who is not that person.
 * Source   rule TE24.
 */
export function actingOf(
  wanted: readonly string[] | null,
  runAs: Pick<RoutineRecord['run_as'], 'id'>,
  caller: Pick<Caller, 'principalId' | 'kind'>,
): Pick<RoutineRecord, 'act_as_user_providers' | 'act_as_user_by'> {
  if (wanted === null || wanted.length === 0) return { act_as_user_providers: [] };
  if (isSoftware(caller.kind) || caller.principalId !== runAs.id)
    throw invalidArgument('act_as_user_providers', 'only the person that it runs as names them', {
      reason: 'another_person',
    });
  return { act_as_user_providers: [...wanted].sort(), act_as_user_by: caller.principalId };
}
