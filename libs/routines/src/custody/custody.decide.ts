import {
  Refusal,
  invalidArgument,
  isSoftware,
  notFound,
  requireConfirmed,
  wantedOwner,
  type Owner,
  type Visibility,
  type WantedCustody,
} from '@aos/kernel';
import type { Caller } from '../routine/reach.decide.js';
import type { RoutineEvent, RoutineRecord } from '../routine/routine.events.js';
import type { RoutineState } from '../routine/routine.state.js';
import { runAsOf } from '../routine/run-as.decide.js';

/** Audience of a routine: a person's is that person's and its roster's, a team's the organization's. */
export function visibilityOf({ kind }: Owner): Exclude<Visibility, 'restricted'> {
  return kind === 'person' ? 'private' : 'organization';
}

/**
 * Changes who owns a routine. It runs as the caller from then on, so that no person is made to act.
 *
 * Takes    whether its owner is a person who is disabled or gone; the handler judges reach before.
 * Gives    `RoutineChanged`, or nothing when the owner stays.
 * Refuses  not_found; permission_denied {reason: owner_active} for the routine of another person who is there;
 *          invalid_argument {argument: owner} for another person than the caller, {argument: visibility} for an
 *          audience that its owner does not give it; visibility_change_unconfirmed.
 * Source   rules TE10, A34.
 */
export function changeRoutineOwner(
  { wanted, ownerIsGone, caller, now }: { wanted: WantedCustody; ownerIsGone: boolean; caller: Caller; now: string },
  { routine }: RoutineState,
): RoutineEvent[] {
  if (!routine) throw notFound('routine');
  if (routine.owner.kind === 'person' && routine.owner.id !== caller.principalId && !ownerIsGone)
    throw new Refusal(
      'permission_denied',
      { reason: 'owner_active' },
      'only its owner hands it on, until that person is disabled or gone',
    );
  const owner = wantedOwner(wanted.owner) ?? routine.owner;
  const visibility = wanted.visibility ?? visibilityOf(owner);
  if (visibility !== visibilityOf(owner))
    throw invalidArgument('visibility', "a person's routine is private, the team's is the organization's");
  const isSame = owner.kind === routine.owner.kind && owner.id === routine.owner.id;
  if (isSame) return [];
  if (owner.kind === 'person' && (owner.id !== caller.principalId || isSoftware(caller.kind)))
    throw invalidArgument('owner', 'a routine runs as its owner: only the caller or the team can be made that');
  requireConfirmed({ visibility: visibilityOf(routine.owner) }, { ...wanted, visibility });
  const run_as = runAsOf(owner, caller);
  // accounts that the principal before lent to it are not the next one's to lend (rule TE24)
  const { act_as_user_by: lender, act_as_user_providers: providers, ...rest } = routine;
  const lent =
    run_as.id === routine.run_as.id
      ? { act_as_user_providers: providers, ...(lender !== undefined && { act_as_user_by: lender }) }
      : { act_as_user_providers: [] };
  const next: RoutineRecord = { ...rest, ...lent, owner, run_as, updated_at: now };
  return [{ type: 'RoutineChanged', data: { routine: next, changed_fields: ['owner'] } }];
}
