import { collection } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { SessionEvent, TurnRecord } from './session.events.js';
import { sessionKind, type SessionState } from './session.state.js';

/** A row of the list: what finds a turn; the turn itself is read from its session's stream. */
type TurnRow = { session_id: string; turn_id: string };

/**
 * Turns of all sessions for lists: newest first. A session's state has only its open turns, and each event of a turn
 * has the whole turn: the rows are made from events. Their keys begin with the time, so that a store that keeps keys in
 * order has new ones side by side: ids of turns are as far apart as those of their sessions.
 */
export const turnsProjection: StreamProjection<SessionState, SessionEvent> = {
  name: 'turns',
  version: 2,
  retired: ['turns@1'],
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
  ]),
  rows: () => [],
  rowsOfEvent({ event: { data }, orgId, revision }) {
    if (!('turn' in data)) return [];
    const { id, session_id, agent_id, status, created_at }: TurnRecord = data.turn;
    return [
      turnRows.row({
        scope: [orgId],
        key: `${created_at} ${id}`,
        revision,
        doc: { session_id, turn_id: id },
        index: { created: created_at, agent: agent_id, status },
      }),
    ];
  },
};

export const turnRows = collection<TurnRow>(turnsProjection);
