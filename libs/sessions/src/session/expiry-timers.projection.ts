import { dueRow } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { SessionEvent } from './session.events.js';
import { sessionKind, type SessionState } from './session.state.js';
import { expiresAt } from './session.wire.js';

export const expiryHandler = 'session_expiry';

/** When a bounded session ends, while no turn of it is open (rule S42). Sessions without an end have no row. */
export const expiryTimersProjection: StreamProjection<SessionState, SessionEvent> = {
  name: 'session_expiry_timers',
  version: 1,
  kind: sessionKind,
  on: new Set([
    'SessionOpened',
    'MessageAppended',
    'TurnQueued',
    'TurnCompleted',
    'TurnFailed',
    'TurnCancelled',
    'SessionDeleted',
  ]),
  rows({ state, id, revision }) {
    const { opening } = state;
    if (opening?.retention?.mode !== 'bounded') return [];
    const end = state.status === 'deleted' || state.open.size > 0 ? null : expiresAt(state);
    return [
      dueRow({
        stream: `session-${id}`,
        revision,
        name: 'expiry',
        at: end === null ? null : Date.parse(end),
        handler: expiryHandler,
        details: { org_id: opening.org_id, session_id: id },
      }),
    ];
  },
};
