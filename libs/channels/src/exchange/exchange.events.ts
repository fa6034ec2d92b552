import { defineEvents, event, type EventOf } from '@aos/kernel';
import type { BindingProvider } from '../binding/binding.events.js';

export type Channel = { id: string; kind: 'dm' | 'channel'; thread_id?: string };

/** Who wrote a message, as the bridge or the mail says it: data, which grants nothing. */
export type Sender = { id: string; name?: string };

/** What an answer by mail needs of the mail. */
export type AnsweredMail = {
  email_id: string;
  message_id: string | null;
  /** Message ids of its thread, oldest first. */
  references: string[];
  subject: string;
  /** Address of the agent. */
  inbox: string;
};

/** A message as it came in, with what its turn needs of the binding. */
export type ExchangeRecord = {
  id: string;
  org_id: string;
  provider: BindingProvider;
  integration_id: string;
  /** The message's identity at the provider. */
  message_id: string;
  channel: Channel;
  sender: Sender;
  text: string;
  /** Of `email` only. */
  mail?: AnsweredMail;
  /** Null: no binding. */
  agent_id: string | null;
  binding_id: string | null;
  arrived_at: string;
};

/**
 * All events of an exchange, a message and its answer; one stream `exchange-<id>`. The id follows from the connection
 * and the message's identity, so that a message that comes again is the same exchange.
 */
export const exchangeEvents = defineEvents({
  MessageArrived: event<{ exchange: ExchangeRecord }>(1, {}, { since: 'messaging' }),
  /** No turn begins. */
  ExchangeIgnored: event<{ exchange: ExchangeRecord; reason: string }>(1, {}, { since: 'messaging' }),
  /** The turn that answers is queued. */
  ExchangeAdmitted: event<{ session_id: string; turn_id: string; at: string }>(1, {}, { since: 'messaging' }),
  /** A try is about to leave; recorded before its first byte. Another may begin at `due_again_at`. */
  ReplyBegun: event<{ attempt: number; at: string; due_again_at: string }>(1, {}, { since: 'messaging' }),
  ReplyFailed: event<{
    attempt: number;
    status_code: number | null;
    error: string;
    at: string;
    next_attempt_at: string;
  }>(1, {}, { since: 'messaging' }),
  ReplyDelivered: event<{ attempt: number; status_code: number | null; at: string }>(1, {}, { since: 'messaging' }),
  /** Nothing is sent any more, or at all. */
  ReplyAbandoned: event<{ attempt: number; reason: string; at: string }>(1, {}, { since: 'messaging' }),
});

export type ExchangeEvent = EventOf<typeof exchangeEvents>;
