import type { JsonObject } from '@aos/kernel';
import type { OutcomeRecord, SessionEvent } from '../session/session.events.js';
import type { SessionState } from '../session/session.state.js';
import { looseRow, newestOpen, resolvedOutcome, startedByOutcome } from '../turns/boundary.decide.js';
import { resumeTurn } from '../turns/jobs.decide.js';

export type InteractionWire = JsonObject & { id: string; status: string };

/**
 * Copies a change of an interaction into the asking session, so that one revision orders everything its v2 stream shows.
 *
 * Gives    `InteractionMirrored`; nothing for a delivery that was applied, or for a session that is gone.
 * Source   architecture, section 4; decision F23.
 */
export function mirrorInteraction(command: { interaction: InteractionWire; deliveryId: string }, session: SessionState): SessionEvent[] {
  if (!session.opening || session.status === 'deleted' || session.applied.includes(command.deliveryId)) return [];
  return [{ type: 'InteractionMirrored', data: { interaction: command.interaction, delivery_id: command.deliveryId } }];
}

/**
 * Brings an interaction's outcome into the session, once: a turn that waits for it goes on, an open turn absorbs it at its next safe boundary,
 * an idle session starts a turn with it.
 *
 * Gives    nothing for a delivery that was applied.
 * Source   specification, Sessions rule 4; decisions S31, S32, T9, T19.
 */
export function applyOutcome(
  command: { outcome: OutcomeRecord; now: string; timeoutSeconds: number; agentActive: boolean }, session: SessionState, revision: number,
): SessionEvent[] {
  const { outcome, now } = command;
  const { opening } = session;
  if (!opening || session.status === 'deleted' || session.applied.includes(outcome.delivery_id)) return [];
  const target = newestOpen(session);
  if (target) {
    const received: SessionEvent = { type: 'OutcomeReceived', data: { outcome, turn_id: target.turn.id } };
    const waiting = [...session.open.values()].find(({ turn }) => turn.status === 'waiting' && turn.wait?.kind === 'interaction' && turn.wait.interaction_id === outcome.interaction_id);
    if (!waiting) return [received];
    const result = resolvedOutcome(waiting.turn.wait?.tool_call_id ?? '', outcome.interaction_id);
    const forWaiting: SessionEvent = { type: 'OutcomeReceived', data: { outcome, turn_id: waiting.turn.id } };
    const pendingOutcomes = [...session.pendingOutcomes, { outcome, turnId: waiting.turn.id }];
    return [forWaiting, ...resumeTurn({ now, outcomes: [result], reason: 'interaction' }, { ...session, pendingOutcomes }, waiting)];
  }
  const settled: SessionEvent = { type: 'OutcomeReceived', data: { outcome, turn_id: null } };
  if (!command.agentActive || session.status === 'archived') {
    const row = looseRow(opening, session.sequence + 1, { role: 'user', content: outcome.content, metadata: outcome.metadata, created_at: now });
    return [settled, { type: 'MessageAppended', data: { row } }];
  }
  const place = { ordinal: session.queuedAt.length, sequence: session.sequence, revision: revision + 1, timeoutSeconds: command.timeoutSeconds, now };
  return [settled, ...startedByOutcome(opening, place, outcome)];
}
