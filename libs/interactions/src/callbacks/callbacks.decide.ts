import { Refusal, backoffMs, notFound, rfc3339 } from '@aos/kernel';
import type { InteractionEvent, Opening } from '../interaction/interaction.events.js';
import { callbackTriesMax } from '../interaction/interaction.limits.js';
import type { InteractionState } from '../interaction/interaction.state.js';

/**
 * Claims the next attempt of a callback that is due. The process that appends the event sends it; if that process dies,
 * another claims the next attempt.
 *
 * Gives    nothing when none is due.
 * Units    milliseconds since 1970.
 * Source   rule I35.
 */
export function startAttempt(
  command: { nowMs: number; givenUpAfterMs: number },
  { callback }: InteractionState,
): InteractionEvent[] {
  const { nowMs, givenUpAfterMs } = command;
  if (
    callback?.status !== 'pending' ||
    callback.next_attempt_at === null ||
    Date.parse(callback.next_attempt_at) > nowMs
  )
    return [];
  if (callback.attempts - callback.attemptsBefore >= callbackTriesMax) {
    const { attempts: attempt, last_status_code: statusCode } = callback;
    return [
      {
        type: 'CallbackAbandoned',
        data: { attempt, status_code: statusCode, error: callback.last_error ?? 'interrupted', at: rfc3339(nowMs) },
      },
    ];
  }
  return [
    {
      type: 'CallbackAttemptStarted',
      data: { attempt: callback.attempts + 1, at: rfc3339(nowMs), due_again_at: rfc3339(nowMs + givenUpAfterMs) },
    },
  ];
}

export interface AttemptEnd {
  attempt: number;
  nowMs: number;
  /** From 0 to 1: spreads the tries of many callbacks. */
  random: number;
  statusCode: number | null;
  /** Class of the failure; null when the receiver took it. */
  error: string | null;
}

/**
 * Records how a try ended. After the last one the callback is abandoned.
 *
 * Gives    nothing when it was delivered or abandoned in the meantime, or a failed try is not the newest.
 * Source   rule I35.
 */
export function endAttempt(command: AttemptEnd, { callback }: InteractionState): InteractionEvent[] {
  const { attempt, nowMs, random, statusCode, error } = command;
  if (callback?.status !== 'pending') return [];
  const at = rfc3339(nowMs);
  if (error === null) return [{ type: 'CallbackDelivered', data: { attempt, status_code: statusCode ?? 0, at } }];
  if (attempt !== callback.attempts) return [];
  const tried = attempt - callback.attemptsBefore;
  if (tried >= callbackTriesMax)
    return [{ type: 'CallbackAbandoned', data: { attempt, status_code: statusCode, error, at } }];
  return [
    {
      type: 'CallbackFailed',
      data: { attempt, status_code: statusCode, error, at, next_attempt_at: rfc3339(nowMs + backoffMs(tried, random)) },
    },
  ];
}

/**
 * Sends an abandoned callback again, with its old delivery id.
 *
 * Gives    nothing while it is on its way anyway.
 * Refuses  not_found for an interaction of another organization, or without a callback; conflict when it was delivered.
 * Source   rule I35.
 */
export function redrive(
  command: { orgId: string; by: string; now: string },
  { opening, callback }: InteractionState,
): InteractionEvent[] {
  if (opening?.org_id !== command.orgId) throw notFound('interaction');
  if (!callback) throw notFound('callback');
  if (callback.status === 'delivered')
    throw new Refusal('conflict', { status: 'delivered' }, 'the callback was delivered');
  if (callback.status === 'pending') return [];
  return [{ type: 'CallbackRedriven', data: { by: command.by, at: command.now } }];
}

/** The sealed secret of a callback that may still be sent; null without one. */
export function sealOf({ opening, callback }: InteractionState): string | null {
  if (opening?.consumer.kind !== 'http_subscriber' || callback?.status === 'delivered') return null;
  return opening.consumer.http_subscriber.sealed_secret;
}

/**
 * Puts the same secret in place under another master key.
 *
 * Gives    nothing when it is not the one that was read, or is needed no more.
 * Source   control S32.
 */
export function replaceSeal(
  command: { before: string; sealed: string; now: string },
  state: InteractionState,
): InteractionEvent[] {
  if (sealOf(state) !== command.before) return [];
  return [{ type: 'CallbackSecretResealed', data: { sealed_secret: command.sealed, at: command.now } }];
}

/** The end of an interaction. */
export interface Closing {
  now: string;
  /** Id of the callback, should one be owed. */
  callbackId: string;
}

/** The outcome and the duty to deliver it are one append. */
export function callbackOwed({ consumer }: Opening, { callbackId, now }: Closing): InteractionEvent[] {
  return consumer.kind === 'http_subscriber'
    ? [{ type: 'CallbackQueued', data: { delivery_id: callbackId, at: now } }]
    : [];
}
