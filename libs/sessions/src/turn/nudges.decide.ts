import type { Schema } from '@aos/contract';
import { Refusal, notFound, type JsonObject, listLength, mapGet } from '@aos/kernel';
import { nudgeId, turnId } from '../session/session.ids.js';
import { pendingNudgesMax } from '../session/session.limits.js';
import type { NudgeRecord, NudgeSender, SessionEvent, SessionOpening } from '../session/session.events.js';
import type { OpenTurn, SessionState } from '../session/session.state.js';
import { newestOpen } from './fresh-turn.decide.js';
import { startedByNudge } from './pending-nudges.decide.js';
import { callEnds, resumeTurn, waitingCalls, wakes } from './waits.decide.js';

export interface QueueNudge {
  now: string;
  content: string;
  wake: boolean;
  idempotencyKey: string | null;
  /** Of content and wake: what a repeat must agree in (rule N6). */
  digest: string;
  metadata: JsonObject | null;
  senderPrincipalId: string;
  sender: NudgeSender;
  /** For a fresh turn, should none be open. */
  agent: { status: 'active' | 'inactive'; timeoutSeconds: number };
}

/**
 * Admits a nudge: queued for the newest open turn, or the input of a fresh one.
 *
 * Gives    `NudgeQueued`; with no turn open the fresh turn's row and `TurnQueued` too; a waiting turn that it wakes is
 *          resumed. Nothing for a repeat.
 * Refuses  idempotency_conflict for a key with other content; nudge_queue_full {limit}; session_not_active,
 *          agent_inactive for a fresh turn.
 * Source   rules SES3, LIM4, N1, N2, N3, N4, N5, N6, N7, N8, N9, N10, N11, S29, S30.
 */
export function queueNudge(command: QueueNudge, session: SessionState, revision: number): SessionEvent[] {
  if (!session.opening || session.status === 'deleted') throw notFound('session');
  const key = command.idempotencyKey?.trim() || null;
  const known = key ? mapGet(session.nudgeByKey, key) : undefined;
  if (known) {
    if (known.digest !== command.digest)
      throw new Refusal('idempotency_conflict', {}, 'the key was used with other content');
    return [];
  }
  if (session.pendingNudges.length >= pendingNudgesMax) {
    throw new Refusal('nudge_queue_full', { limit: pendingNudgesMax }, 'too many nudges are pending');
  }
  const target = newestOpen(session);
  return target
    ? queueFor(target, command, key, session)
    : startFresh(command, key, session, session.opening, revision);
}

function record(command: QueueNudge, session: SessionState, turn: NudgeRecord['turn']): NudgeRecord {
  const nudge: NudgeRecord = {
    id: nudgeId((session.opening as SessionOpening).id, session.nudgeCount),
    status: 'pending',
    delivery: 'current_turn',
    content: command.content,
    wake: command.wake,
    turn,
    sender_principal_id: command.senderPrincipalId,
    created_at: command.now,
    delivered_at: null,
    cancelled_at: null,
  };
  if (command.metadata) nudge.metadata = command.metadata;
  return nudge;
}

function startFresh(
  command: QueueNudge,
  key: string | null,
  session: SessionState,
  opening: SessionOpening,
  revision: number,
): SessionEvent[] {
  if (session.status === 'archived') throw new Refusal('session_not_active', {}, 'the session is archived');
  if (command.agent.status !== 'active') throw new Refusal('agent_inactive', {}, 'the agent is inactive');
  const ordinal = listLength(session.queuedAt);
  const nudge: NudgeRecord = {
    ...record(command, session, { id: turnId(opening.id, ordinal), status: 'queued' }),
    status: 'delivered',
    delivery: 'new_turn',
    delivered_at: command.now,
  };
  const started = startedByNudge(
    opening,
    { ordinal, sequence: session.sequence, revision, timeoutSeconds: command.agent.timeoutSeconds, now: command.now },
    nudge,
    command.sender,
  );
  return [
    ...started,
    {
      type: 'NudgeQueued',
      data: {
        nudge,
        idempotency_key: key,
        digest: command.digest,
        after_sequence: session.sequence + 1,
        woke_turn: false,
        sender: command.sender,
      },
    },
  ];
}

function queueFor(target: OpenTurn, command: QueueNudge, key: string | null, session: SessionState): SessionEvent[] {
  const { status, wait } = target.turn;
  const woken = status === 'waiting' && wait !== undefined && wakes(command, wait);
  const nudge = record(command, session, { id: target.turn.id, status });
  const queued: SessionEvent = {
    type: 'NudgeQueued',
    data: {
      nudge,
      idempotency_key: key,
      digest: command.digest,
      after_sequence: session.sequence,
      woke_turn: woken,
      sender: command.sender,
    },
  };
  if (!woken) return [queued];
  const outcomes = callEnds(waitingCalls(target), 'nudge', session);
  return [
    queued,
    ...resumeTurn(
      { now: command.now, outcomes, reason: 'nudge' },
      { ...session, pendingNudges: [...session.pendingNudges, nudge] },
      target,
    ),
  ];
}

export interface CancelNudge {
  nudgeId: string;
  now: string;
  /** The nudge as it is shown once it is not pending any more, which the state does not hold; absent: not read yet. */
  settled?: Schema<'SessionNudge'>;
}

/**
 * Cancels a pending nudge.
 *
 * Gives    `NudgeCancelled`; nothing when it was cancelled already, or is not pending and was not read yet.
 * Refuses  nudge_already_delivered {nudge}.
 */
export function cancelNudge({ nudgeId, now, settled }: CancelNudge, session: SessionState): SessionEvent[] {
  const nudge = session.pendingNudges.find(({ id }) => id === nudgeId);
  if (!nudge) {
    if (settled?.status === 'delivered')
      throw new Refusal('nudge_already_delivered', { nudge: settled }, 'the nudge was delivered');
    return [];
  }
  return [{ type: 'NudgeCancelled', data: { nudge: { ...nudge, status: 'cancelled', cancelled_at: now } } }];
}
