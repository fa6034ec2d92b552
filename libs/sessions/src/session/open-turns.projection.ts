import { collectionOf } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { SessionEvent } from './session.events.js';
import { sessionKind, type SessionState } from './session.state.js';
import { nextToRun } from './open-turns.state.js';

/**
 * One row for each session with a turn that runs or could, across organizations, naming it: what recovery looks
 * through.
 */
export const openTurnsProjection: StreamProjection<SessionState, SessionEvent> = {
  name: 'open_turns',
  version: 2,
  kind: sessionKind,
  on: new Set([
    'TurnQueued',
    'TurnClaimed',
    'TurnRequeued',
    'TurnParked',
    'TurnResumed',
    'TurnCompleted',
    'TurnFailed',
    'TurnCancelled',
    'SessionDeleted',
  ]),
  rows({ state, id, revision }) {
    if (!state.opening) return [];
    const next = nextToRun(state);
    const base = { collection: collectionOf(openTurnsProjection), scope: ['*'], key: id, revision };
    if (!next) return [{ ...base, doc: null, index: {} }];
    return [{ ...base, doc: { session_id: id, org_id: state.opening.org_id, turn_id: next.turn.id }, index: {} }];
  },
};
