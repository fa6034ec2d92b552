import { hash32, unreachable, type StreamKind } from '@aos/kernel';
import { exchangeEvents, type ExchangeEvent, type ExchangeRecord } from './exchange.events.js';

export type ExchangeStatus = 'ignored' | 'arrived' | 'admitted' | 'replying' | 'delivered' | 'abandoned';

export interface ExchangeState {
  /** Null before the first event. */
  readonly exchange: ExchangeRecord | null;
  readonly status: ExchangeStatus;
  /** Why it is ignored or abandoned. */
  readonly reason: string | null;
  readonly sessionId: string | null;
  readonly turnId: string | null;
  /** Tries of the reply that were begun. */
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
}

export const exchangeKind: StreamKind<ExchangeState, ExchangeEvent> = {
  category: 'exchange',
  events: exchangeEvents,
  stateVersion: 1,
  initial: () => ({
    exchange: null,
    status: 'arrived',
    reason: null,
    sessionId: null,
    turnId: null,
    attempts: 0,
    nextAttemptAt: null,
  }),
  evolve(state, event) {
    switch (event.type) {
      case 'MessageArrived':
        return { ...state, exchange: event.data.exchange };
      case 'ExchangeIgnored':
        return { ...state, exchange: event.data.exchange, status: 'ignored', reason: event.data.reason };
      case 'ExchangeAdmitted':
        return { ...state, status: 'admitted', sessionId: event.data.session_id, turnId: event.data.turn_id };
      case 'ReplyBegun': {
        const { attempt, due_again_at } = event.data;
        return { ...state, status: 'replying', attempts: attempt, nextAttemptAt: due_again_at };
      }
      case 'ReplyFailed':
        return { ...state, nextAttemptAt: event.data.next_attempt_at };
      case 'ReplyDelivered':
        return { ...state, status: 'delivered', nextAttemptAt: null };
      case 'ReplyAbandoned':
        return { ...state, status: 'abandoned', reason: event.data.reason, nextAttemptAt: null };
      default:
        return unreachable(event);
    }
  },
};

/** The id of an exchange, from its connection and the message's identity there (rule TE13). */
export function exchangeId(orgId: string, integrationId: string, messageId: string): string {
  return `exch_${hash32(JSON.stringify([orgId, integrationId, messageId]))}`;
}
