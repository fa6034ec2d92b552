import type { NudgeRecord, NudgeSender, SessionEvent, SessionOpening } from '../session/session.events.js';
import type { OpenTurn, SessionState } from '../session/session.state.js';
import { freshTurn, type FreshTurn } from './fresh-turn.decide.js';
import type { RowWriter } from './rows.decide.js';

/** The nudges that wait for this turn, oldest first. */
export function nudgesFor(open: OpenTurn, session: SessionState): NudgeRecord[] {
  return session.pendingNudges.filter(({ turn }) => turn.id === open.turn.id);
}

/**
 * Delivers the oldest nudge that waits for this turn, as a row of it; nothing when none waits.
 *
 * Source   rules SES3, N12, S29.
 */
export function deliverNudge(session: SessionState, open: OpenTurn, rows: RowWriter, now: string): SessionEvent[] {
  const [nudge] = nudgesFor(open, session);
  if (!nudge) return [];
  const turn = { id: open.turn.id, status: open.turn.status };
  return [
    nudgeRow(nudge, rows, now),
    { type: 'NudgeDelivered', data: { nudge: { ...nudge, status: 'delivered', turn, delivered_at: now } } },
  ];
}

function nudgeRow(nudge: NudgeRecord, rows: RowWriter, now: string): SessionEvent {
  return rows.append({
    role: 'user',
    created_at: now,
    metadata: { ...nudge.metadata, session_nudge_id: nudge.id },
    content: [{ type: 'reminder', name: 'session-nudge', tier: 'contextual', content: nudge.content }],
  });
}

/** A pending nudge becomes the input of a fresh turn, which is its target from then on. */
export function deliverAsTurn(
  nudge: NudgeRecord,
  target: NudgeRecord['turn'],
  first: FreshTurn,
  session: SessionState,
): SessionEvent[] {
  const delivered: NudgeRecord = {
    ...nudge,
    status: 'delivered',
    delivery: 'new_turn',
    turn: target,
    delivered_at: first.now,
  };
  return [
    ...startedByNudge(session.opening as SessionOpening, first, nudge, session.nudgeSenders?.get(nudge.id)),
    { type: 'NudgeDelivered', data: { nudge: delivered } },
  ];
}

/**
 * The turn acts for who sent the nudge (rules A33, S30). Of a nudge from before its sender was recorded only the id is
 * known, and the kind is read where it matters.
 */
export function startedByNudge(
  opening: SessionOpening,
  first: FreshTurn,
  nudge: NudgeRecord,
  sender: NudgeSender | undefined,
): SessionEvent[] {
  return freshTurn(opening, first, {
    origin: 'nudge',
    content: [{ type: 'text', text: nudge.content }],
    metadata: { ...nudge.metadata, session_nudge_id: nudge.id },
    principalId: nudge.sender_principal_id,
    principalKind: sender?.kind ?? 'service',
    principalPermissions: sender?.permissions,
  });
}

/** Pending nudges wait for another turn from here on. */
export function retargetNudges(nudges: readonly NudgeRecord[], target: NudgeRecord['turn']): SessionEvent[] {
  return nudges.map((nudge) => ({ type: 'NudgeRetargeted', data: { nudge: { ...nudge, turn: target } } }));
}

/** Cancels the nudges of a turn that ends without them. */
export function retireNudges(
  session: SessionState,
  open: OpenTurn,
  now: string,
  status: 'failed' | 'cancelled',
): SessionEvent[] {
  return nudgesFor(open, session).map((nudge) => ({
    type: 'NudgeCancelled',
    data: { nudge: { ...nudge, status: 'cancelled', turn: { id: open.turn.id, status }, cancelled_at: now } },
  }));
}
