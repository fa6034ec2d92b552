import { acrossOrganizations, collection } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { SessionEvent } from './session.events.js';
import { sessionKind, type SessionState } from './session.state.js';
import { nextToRun } from './open-turns.state.js';

/** The turn that runs or would run next. */
type OpenTurnRow = { session_id: string; org_id: string; turn_id: string };

/**
 * One row for each session with a turn that runs or could, across organizations, naming it: what recovery looks
 * through.
 */
export const openTurnsProjection: StreamProjection<SessionState, SessionEvent> = {
  name: 'open_turns',
  version: 2,
  kind: sessionKind,
  rowKey: acrossOrganizations,
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
    return [openTurnRows.row({ ...acrossOrganizations({ id }), revision, doc, index: {} })];
  },
};

export const openTurnRows = collection<OpenTurnRow>(openTurnsProjection);
