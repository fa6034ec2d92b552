import { dueRow } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { ExchangeEvent } from './exchange.events.js';
import { startAfterMs } from './exchange.limits.js';
import { exchangeKind, type ExchangeState } from './exchange.state.js';

export const exchangeStartHandler = 'exchange_start';
export const exchangeReplyHandler = 'exchange_reply';

/** Timers of exchanges: a turn that is not started yet, and the next try of a reply. */
export const exchangeTimersProjection: StreamProjection<ExchangeState, ExchangeEvent> = {
  name: 'exchange_timers',
  version: 1,
  kind: exchangeKind,
  rows({ state: { exchange, status, nextAttemptAt }, id, revision }) {
    if (!exchange) return [];
    const details = { org_id: exchange.org_id, exchange_id: exchange.id };
    const timer = { stream: `exchange-${id}`, revision, details };
    const startAt = status === 'arrived' ? Date.parse(exchange.arrived_at) + startAfterMs : null;
    const tryAt = status === 'replying' && nextAttemptAt !== null ? Date.parse(nextAttemptAt) : null;
    return [
      dueRow({ ...timer, name: 'start', at: startAt, handler: exchangeStartHandler }),
      dueRow({ ...timer, name: 'reply', at: tryAt, handler: exchangeReplyHandler }),
    ];
  },
};
