import { Refusal, notFound, type Identity } from '@aos/kernel';
import type { RosterEntry, RoutineEvent, RoutineRecord, RoutineRelationship } from '../routine/routine.events.js';
import { rosterMax } from '../routine/routine.limits.js';
import type { RoutineState } from '../routine/routine.state.js';
import { isVisible, requireManaging } from '../routine/reach.decide.js';

type Caller = Pick<Identity, 'orgId' | 'principalId' | 'kind' | 'permissions'>;

/**
 * Puts a principal on a roster. Every caller who sees a routine may follow it; other entries need the right to change
 * the routine and to build.
 *
 * Gives    nothing when it says so already; a new level replaces the old one.
 * Refuses  not_found; permission_denied {permission}; invalid_argument {argument: principal_id, reason: roster_full}.
 */
export function addToRoster(
  { entry, caller, now }: { entry: RosterEntry; caller: Caller; now: string },
  state: RoutineState,
): RoutineEvent[] {
  const routine = seen(state, caller);
  requireOwnOrManaged(routine, entry.principal_id, entry.relationship, caller);
  const known = routine.roster.find((one) => isSame(one, entry.principal_id, entry.relationship));
  if (known && (known.level ?? null) === (entry.level ?? null)) return [];
  const others = routine.roster.filter((one) => one !== known);
  if (others.length >= rosterMax)
    throw new Refusal(
      'invalid_argument',
      { argument: 'principal_id', reason: 'roster_full', limit: rosterMax },
      `a roster has at most ${rosterMax} entries`,
    );
  return [changed(routine, [...others, entry], [entry], known ? [known] : [], now)];
}

/**
 * Takes a principal off a roster, in one relationship or in all.
 *
 * Refuses  not_found for a principal who is not on it; permission_denied; conflict for the last one responsible while
 *          named people manage it.
 */
export function removeFromRoster(
  {
    principalId,
    relationship,
    caller,
    now,
  }: { principalId: string; relationship: RoutineRelationship | null; caller: Caller; now: string },
  state: RoutineState,
): RoutineEvent[] {
  const routine = seen(state, caller);
  const removed = routine.roster.filter((entry) => isSame(entry, principalId, relationship ?? entry.relationship));
  for (const entry of removed) requireOwnOrManaged(routine, principalId, entry.relationship, caller);
  if (removed.length === 0) {
    if (principalId !== caller.principalId) requireManaging(routine, caller);
    throw notFound('principal');
  }
  const left = routine.roster.filter((entry) => !removed.includes(entry));
  const was = routine.roster.some(({ relationship: one }) => one === 'responsible');
  if (was && routine.status !== 'cancelled' && !left.some(({ relationship: one }) => one === 'responsible')) {
    throw new Refusal(
      'conflict',
      { principal_id: principalId, relationship: 'responsible' },
      'the last one responsible stays until somebody else is',
    );
  }
  return [changed(routine, left, [], removed, now)];
}

function seen({ routine }: RoutineState, caller: Caller): RoutineRecord {
  if (!routine || !isVisible(routine, caller)) throw notFound('routine');
  return routine;
}

function requireOwnOrManaged(
  routine: RoutineRecord,
  principalId: string,
  relationship: RoutineRelationship,
  caller: Caller,
): void {
  if (relationship === 'follower' && principalId === caller.principalId) return;
  if (!caller.permissions.has('svc.resource.build'))
    throw new Refusal(
      'permission_denied',
      { permission: 'svc.resource.build' },
      'you may follow it yourself; the roster is for those who build',
    );
  requireManaging(routine, caller);
}

function isSame(entry: RosterEntry, principalId: string, relationship: RoutineRelationship): boolean {
  return entry.principal_id === principalId && entry.relationship === relationship;
}

function changed(
  routine: RoutineRecord,
  roster: RosterEntry[],
  added: RosterEntry[],
  removed: RosterEntry[],
  now: string,
): RoutineEvent {
  return { type: 'RosterChanged', data: { routine: { ...routine, roster, updated_at: now }, added, removed } };
}
