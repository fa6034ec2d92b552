import { backoffMs, rfc3339 } from '@aos/kernel';

import type { ExchangeEvent } from '../exchange/exchange.events.js';
import { replyTriesMax } from '../exchange/exchange.limits.js';
import type { ExchangeState } from '../exchange/exchange.state.js';

/**
 * Claims the next try of a reply that is due: the first one once the turn has ended, each further one at its time. The
 * process that appends the event sends it; if that process dies, another claims the next try.
 *
 * Takes    `first`: the turn has just ended.
 * Gives    nothing when none is due; the end after the last try.
 * Units    milliseconds since 1970.
 * Source   rules TE15, I35.
 */
export function startReply(
  command: { first: boolean; nowMs: number; givenUpAfterMs: number },
  { exchange, status, attempts, nextAttemptAt }: ExchangeState,
): ExchangeEvent[] {
  const { first, nowMs, givenUpAfterMs } = command;
  const isFirst = first && (status === 'admitted' || status === 'arrived');
  const isDue = status === 'replying' && nextAttemptAt !== null && Date.parse(nextAttemptAt) <= nowMs;
  if (!exchange || (!isFirst && !isDue)) return [];
  const at = rfc3339(nowMs);
  if (attempts >= replyTriesMax)
    return [{ type: 'ReplyAbandoned', data: { attempt: attempts, reason: 'interrupted', at } }];
  return [{ type: 'ReplyBegun', data: { attempt: attempts + 1, at, due_again_at: rfc3339(nowMs + givenUpAfterMs) } }];
}

export interface ReplyEnd {
  attempt: number;
  nowMs: number;
  /** From 0 to 1: spreads the tries of many replies. */
  random: number;
  statusCode: number | null;
  /** Class of the failure; null when it was taken. */
  error: string | null;
}

/**
 * Records how a try ended. After the last one the reply is abandoned.
 *
 * Gives    nothing when the reply has ended meanwhile, or a failed try is not the newest.
 * Source   rules TE15, I35.
 */
export function endReply(command: ReplyEnd, { status, attempts }: ExchangeState): ExchangeEvent[] {
  const { attempt, nowMs, random, statusCode, error } = command;
  if (status !== 'replying') return [];
  const at = rfc3339(nowMs);
  if (error === null) return [{ type: 'ReplyDelivered', data: { attempt, status_code: statusCode, at } }];
  if (attempt !== attempts) return [];
  if (attempt >= replyTriesMax) return [{ type: 'ReplyAbandoned', data: { attempt, reason: error, at } }];
  const next = rfc3339(nowMs + backoffMs(attempt, random));
  return [{ type: 'ReplyFailed', data: { attempt, status_code: statusCode, error, at, next_attempt_at: next } }];
}
