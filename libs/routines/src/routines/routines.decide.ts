import { canonicalJson, firstCharacters, invalidArgument, isLongerThan, isSoftware, notFound } from '@aos/kernel';
import type { RoutineEvent, RoutineEventTrigger, RoutineRecord, RoutineSchedule } from '../routine/routine.events.js';
import { derivedNameLengthMax } from '../routine/routine.limits.js';
import { actingOf, actingProviders } from '../routine/acting.decide.js';
import { restsOnOf, type Granting } from '../routine/source.decide.js';
import type { RoutineState } from '../routine/routine.state.js';
import { runAsOf } from '../routine/run-as.decide.js';
import { type Caller, isVisible, requireManaging } from '../routine/reach.decide.js';

/** Who answers for a new routine (contract, `owner_kind`): the caller, or the team; software acts for the team. */
export function ownerOf(wanted: 'person' | 'team' | undefined, caller: Caller): RoutineRecord['owner'] {
  const kind = wanted ?? (isSoftware(caller.kind) ? 'team' : 'person');
  if (kind === 'team') return { kind, id: null };
  if (isSoftware(caller.kind))
    throw invalidArgument('owner_kind', 'a person answers for it, and the caller is none', {
      reason: 'human_custodian_required',
    });
  return { kind, id: caller.principalId };
}

/** The name of a routine without one from its author: the beginning of its instructions. */
export function nameFrom(instructions: string): string {
  const line = instructions.trim().split('\n', 1)[0]?.trim() ?? '';
  if (!isLongerThan(line, derivedNameLengthMax)) return line === '' ? 'Routine' : line;
  return `${firstCharacters(line, derivedNameLengthMax - 1).trimEnd()}…`;
}

/** Stores a new routine; nothing when it is there. */
export function createRoutine(routine: RoutineRecord, state: RoutineState): RoutineEvent[] {
  return state.routine ? [] : [{ type: 'RoutineCreated', data: { routine } }];
}

/** The members that a change sets; an absent member keeps its value. */
export interface RoutineChange {
  name?: string;
  instructions?: string;
  per_occurrence_ceiling_milli?: number;
  daily_ceiling_milli?: number;
  managed_by?: 'team' | 'named';
  act_as_user_providers?: string[];
  trigger?: {
    schedule: RoutineSchedule | null;
    event: RoutineEventTrigger | null;
    timezone: string;
    source_bound: boolean;
  };
}

/** Where a routine stands when it listens or counts again from now. */
export interface Armed {
  now: string;
  next_fire_at: string | null;
}

/**
 * Changes a routine.
 *
 * Takes    the change and, with a new trigger, when it is next due; a completed routine with a new schedule is active
 *          again. The connections that grant its agent now.
 * Gives    `RoutineChanged` with the fields that differ; nothing when none does. Who changes what it does, not only its
 *          name, its ceilings or who manages it, gives it its authority (rule A34).
 * Refuses  not_found; permission_denied; invalid_argument {argument: status} for a cancelled one; as `actingOf`.
 */
export function changeRoutine(
  { change, armed, caller, granting }: { change: RoutineChange; armed: Armed; caller: Caller; granting: Granting },
  state: RoutineState,
): RoutineEvent[] {
  const routine = managed(state, caller);
  if (routine.status === 'cancelled')
    throw invalidArgument('status', 'a cancelled routine does not change', { reason: 'cancelled' });
  const { trigger, act_as_user_providers: acting, ...plain } = change;
  const next: RoutineRecord = { ...routine, ...plain, ...trigger };
  const runAs = runAsOf(routine.owner, caller);
  const named = acting && actingOf(acting, runAs, caller);
  const fields = Object.keys({ ...plain, ...trigger }).filter(
    (field) =>
      canonicalJson(next[field as keyof RoutineRecord]) !== canonicalJson(routine[field as keyof RoutineRecord]),
  );
  const before = actingProviders(routine);
  const isNamedAnew = named !== undefined && JSON.stringify(named.act_as_user_providers) !== JSON.stringify(before);
  if (isNamedAnew) fields.push('act_as_user_providers');
  if (fields.length === 0) return [];
  const isRearmed = fields.includes('schedule') || fields.includes('event');
  if (isRearmed) {
    Object.assign(next, {
      armed_at: armed.now,
      next_fire_at: next.schedule ? armed.next_fire_at : null,
      fired_count: 0,
      completed_at: null,
    });
    if (next.status === 'completed') next.status = 'active';
  }
  const isDecided =
    isNamedAnew || fields.some((field) => field === 'instructions' || (trigger !== undefined && field in trigger));
  if (isDecided) {
    next.run_as = runAs;
    // what another person decides about does not speak for the one who named the accounts
    const kept = caller.principalId === routine.act_as_user_by && runAs.id === routine.act_as_user_by;
    if (named || !kept) {
      delete next.act_as_user_by;
      Object.assign(next, named ?? { act_as_user_providers: [] });
    }
    next.rests_on = restsOnOf(next, granting);
    if (before.length > 0 && actingProviders(next).length === 0 && !isNamedAnew) fields.push('act_as_user_providers');
  }
  next.updated_at = armed.now;
  return [{ type: 'RoutineChanged', data: { routine: next, changed_fields: fields } }];
}

/**
 * Stops it until it is resumed: what falls due or happens meanwhile starts nothing, then or later. Nothing for one that
 * is not active.
 */
export function pauseRoutine({ caller, now }: { caller: Caller; now: string }, state: RoutineState): RoutineEvent[] {
  const routine = managed(state, caller);
  return routine.status === 'active'
    ? [{ type: 'RoutinePaused', data: { routine: { ...routine, status: 'paused', updated_at: now } } }]
    : [];
}

/**
 * The service stops a routine that cannot go on: its source was revoked, its agent or its owner is gone.
 *
 * Gives    nothing for one that is not active, or that was changed since it was looked at.
 * Source   rules EV3, X3.
 */
export function suspendRoutine(
  { reason, seen, now }: { reason: string; seen: RoutineRecord; now: string },
  state: RoutineState,
): RoutineEvent[] {
  const { routine } = state;
  if (routine?.status !== 'active' || routine.updated_at !== seen.updated_at) return [];
  return [
    {
      type: 'RoutinePaused',
      data: { routine: { ...routine, status: 'paused', pause_reason: reason, updated_at: now } },
    },
  ];
}

/**
 * Lets it go on from now: missed times are not made up for.
 *
 * Takes    why it cannot go on as things are, null when it can: then its pause stands and says so. The connections that
 *          grant its agent now.
 */
export function resumeRoutine(
  { caller, armed, fault, granting }: { caller: Caller; armed: Armed; fault: string | null; granting: Granting },
  state: RoutineState,
): RoutineEvent[] {
  const routine = managed(state, caller);
  if (routine.status !== 'paused') return [];
  if (fault !== null) {
    if (routine.pause_reason === fault) return [];
    return [{ type: 'RoutinePaused', data: { routine: { ...routine, pause_reason: fault, updated_at: armed.now } } }];
  }
  const isOver = routine.schedule !== null && armed.next_fire_at === null;
  const next: RoutineRecord = {
    ...routine,
    status: isOver ? 'completed' : 'active',
    pause_reason: null,
    rests_on: restsOnOf(routine, granting),
    armed_at: armed.now,
    next_fire_at: armed.next_fire_at,
    updated_at: armed.now,
    completed_at: isOver ? armed.now : null,
  };
  return [{ type: 'RoutineResumed', data: { routine: next } }];
}

/** Lets it go on from now, as `resumeRoutine`; its next due time is counted from the record that is resumed. */
export function resumeRoutineNow(
  {
    nextDue,
    now,
    ...command
  }: {
    caller: Caller;
    now: string;
    nextDue: (routine: RoutineRecord) => string | null;
    fault: string | null;
    granting: Granting;
  },
  state: RoutineState,
): RoutineEvent[] {
  const armed = { now, next_fire_at: state.routine && nextDue(state.routine) };
  return resumeRoutine({ ...command, armed }, state);
}

/** Ends it for good; what it began goes on. Nothing when it was. */
export function cancelRoutine({ caller, now }: { caller: Caller; now: string }, state: RoutineState): RoutineEvent[] {
  const routine = managed(state, caller);
  if (routine.status === 'cancelled') return [];
  return [
    {
      type: 'RoutineCancelled',
      data: { routine: { ...routine, status: 'cancelled', pause_reason: null, next_fire_at: null, updated_at: now } },
    },
  ];
}

function managed({ routine }: RoutineState, caller: Caller): RoutineRecord {
  if (!routine || !isVisible(routine, caller)) throw notFound('routine');
  requireManaging(routine, caller);
  return routine;
}
