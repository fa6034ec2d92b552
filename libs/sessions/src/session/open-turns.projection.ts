import { collection, laneOf, lanes, type RowKey } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { SessionEvent } from './session.events.js';
import { sessionKind, type SessionState } from './session.state.js';
import { nextToRun } from './open-turns.state.js';

/** The turn that runs or would run next. */
type OpenTurnRow = { session_id: string; org_id: string; turn_id: string };

const scopeOfLane = (lane: number): readonly string[] => [`lane-${lane}`];
const inLane = ({ id }: { id: string }): RowKey => ({ scope: scopeOfLane(laneOf(id)), key: id });

/** The scopes of all lanes. */
export const openTurnScopes = Array.from({ length: lanes }, (_, lane) => scopeOfLane(lane));

/** Rows in one scope, which replicas of the release before keep up and read: the next release retires them. */
export const openTurnsBefore = 'open_turns@2';

/**
 * One row for each session with a turn that runs or could, across organizations, naming it: what recovery looks
 * through. The rows lie in a scope for each lane, so that the shards of the read store share them (ADR 39).
 */
export const openTurnsProjection: StreamProjection<SessionState, SessionEvent> = {
  name: 'open_turns',
  version: 3,
  kind: sessionKind,
  rowKey: inLane,
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
    const doc = next && { session_id: id, org_id: state.opening.org_id, turn_id: next.turn.id };
    return [openTurnRows.row({ ...inLane({ id }), revision, doc, index: {} })];
  },
};

export const openTurnRows = collection<OpenTurnRow>(openTurnsProjection);
