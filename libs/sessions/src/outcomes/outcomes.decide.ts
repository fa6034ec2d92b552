import { listLength, type JsonObject } from '@aos/kernel';
import { isExpired } from '../session/lifecycle.decide.js';
import type { OutcomeRecord, SessionEvent } from '../session/session.events.js';
import type { OpenTurn, SessionState } from '../session/session.state.js';
import { newestOpen, startedByOutcome } from '../turn/fresh-turn.decide.js';
import { rowOutsideTurns } from '../turn/rows.decide.js';
import { callEnds, resumeTurn, waitingCalls } from '../turn/waits.decide.js';

export type InteractionWire = JsonObject & { id: string; status: string };

/**
 * Copies a change of an interaction into the asking session, so that one revision orders everything its v2 stream
 * shows.
 *
 * Gives    `InteractionMirrored`; nothing for a delivery that was applied, or for a session that is gone or of another
 *          organization.
 * Source   rule F23.
 */
export function mirrorInteraction(
  command: { orgId: string; interaction: InteractionWire; deliveryId: string },
  session: SessionState,
): SessionEvent[] {
  if (
    session.opening?.org_id !== command.orgId ||
    session.status === 'deleted' ||
    session.applied.includes(command.deliveryId)
  )
    return [];
  return [{ type: 'InteractionMirrored', data: { interaction: command.interaction, delivery_id: command.deliveryId } }];
}

/**
 * Brings an interaction's outcome into the session, once: a turn that waits for it goes on (with jobs under way, when
 * those have ended), an open turn absorbs it at its next safe boundary, an idle session starts a turn with it.
 *
 * Gives    nothing for a delivery that was applied, or for a session that is gone or past its time.
 * Source   rules SES4, S31, S32, S42, T9, T19, T34.
 */
export function applyOutcome(
  command: { outcome: OutcomeRecord; now: string; timeoutSeconds: number; agentActive: boolean },
  session: SessionState,
  revision: number,
): SessionEvent[] {
  const { outcome, now } = command;
  const { opening } = session;
  if (!opening || session.status === 'deleted' || session.applied.includes(outcome.delivery_id)) return [];
  if (isExpired(session, Date.parse(now))) return [];
  const target = newestOpen(session);
  if (target) {
    const waiting = [...session.open.values()].find(
      (open) => open.turn.status === 'waiting' && isAwaited(outcome, open),
    );
    const turnId = (waiting ?? target).turn.id;
    const received: SessionEvent = { type: 'OutcomeReceived', data: { outcome, turn_id: turnId } };
    if (waiting?.turn.wait?.kind !== 'interaction') return [received];
    const after = { ...session, pendingOutcomes: [...session.pendingOutcomes, { outcome, turnId }] };
    return [
      received,
      ...resumeTurn(
        { now, outcomes: callEnds(waitingCalls(waiting), 'interaction', after), reason: 'interaction' },
        after,
        waiting,
      ),
    ];
  }
  const settled: SessionEvent = { type: 'OutcomeReceived', data: { outcome, turn_id: null } };
  if (!command.agentActive || session.status === 'archived') {
    const row = rowOutsideTurns(opening, session.sequence + 1, {
      role: 'user',
      content: outcome.content,
      metadata: outcome.metadata,
      created_at: now,
    });
    return [settled, { type: 'MessageAppended', data: { row } }];
  }
  const fresh = {
    ordinal: listLength(session.queuedAt),
    sequence: session.sequence,
    revision: revision + 1,
    timeoutSeconds: command.timeoutSeconds,
    now,
  };
  return [settled, ...startedByOutcome(opening, fresh, outcome)];
}

function isAwaited(outcome: OutcomeRecord, open: OpenTurn): boolean {
  return waitingCalls(open).some(({ question }) => question?.interaction_id === outcome.interaction_id);
}
