import { appended, nothing, replacedAt, withEntry, type PersistentList, type PersistentMap } from '@aos/kernel';
import type { NudgeRecord, NudgeSender, SessionEvent } from './session.events.js';
import { parseSessionPart } from './session.ids.js';

/** Nudges that wait, and where the others are recorded. */
export interface NudgesState {
  readonly nudgeCount: number;
  readonly pendingNudges: readonly NudgeRecord[];
  /** By id of a pending nudge; absent for nudges from before it was recorded. */
  readonly nudgeSenders?: ReadonlyMap<string, NudgeSender>;
  readonly nudgeByKey: PersistentMap<string, { readonly ordinal: number; readonly digest: string }>;
  /** By nudge ordinal: revision of its admission, and of its newest event. */
  readonly nudgeQueuedAt: PersistentList<number>;
  readonly nudgeAt: PersistentList<number>;
}

export const initialNudges: NudgesState = {
  nudgeCount: 0,
  pendingNudges: [],
  nudgeByKey: nothing,
  nudgeQueuedAt: nothing,
  nudgeAt: nothing,
};

export function nudgeQueued(
  state: NudgesState,
  data: Extract<SessionEvent, { type: 'NudgeQueued' }>['data'],
  revision: number,
): Partial<NudgesState> {
  const { nudge, idempotency_key: key, digest, sender } = data;
  const ordinal = state.nudgeCount;
  const isPending = nudge.status === 'pending';
  return {
    nudgeCount: ordinal + 1,
    nudgeQueuedAt: appended(state.nudgeQueuedAt, revision),
    nudgeAt: appended(state.nudgeAt, revision),
    ...(isPending ? { pendingNudges: [...state.pendingNudges, nudge] } : {}),
    ...(isPending && sender ? { nudgeSenders: new Map(state.nudgeSenders).set(nudge.id, sender) } : {}),
    ...(key ? { nudgeByKey: withEntry(state.nudgeByKey, key, { ordinal, digest }) } : {}),
  };
}

export function nudgeRetargeted(state: NudgesState, nudge: NudgeRecord, revision: number): Partial<NudgesState> {
  return {
    pendingNudges: state.pendingNudges.map((pending) => (pending.id === nudge.id ? nudge : pending)),
    nudgeAt: replacedAt(state.nudgeAt, nudgeOrdinal(nudge.id), revision),
  };
}

export function nudgeSettled(state: NudgesState, nudge: NudgeRecord, revision: number): Partial<NudgesState> {
  const settled = {
    pendingNudges: state.pendingNudges.filter(({ id }) => id !== nudge.id),
    nudgeAt: replacedAt(state.nudgeAt, nudgeOrdinal(nudge.id), revision),
  };
  if (!state.nudgeSenders?.has(nudge.id)) return settled;
  const nudgeSenders = new Map(state.nudgeSenders);
  nudgeSenders.delete(nudge.id);
  return { ...settled, nudgeSenders };
}

function nudgeOrdinal(id: string): number {
  const parsed = parseSessionPart(id, 'nudge');
  if (!parsed) throw new Error(`${id} is no nudge id`);
  return parsed.ordinal;
}
