import { defineEvents, event, type EventOf, type Position } from '@aos/kernel';

/** Why deliveries stopped (rule TE123). */
export type DisabledReason = 'gone' | 'down' | 'fell_behind';

/** Secrets that sign deliveries, sealed. */
export type WebhookSigning = {
  /** Counts the secrets that the hook has had. */
  version: number;
  sealed: string;
  /** Signs beside the newest until then; null: none does. */
  previous: { version: number; sealed: string; until: string } | null;
};

/** Where a hook begins to follow the feed. */
export type WebhookStart = {
  /** Counts the starts: a reader that has begun another one takes this one up. */
  number: number;
  /** The feed's last position then; null: it goes on where it stands. */
  position: Position | null;
  /** The log's end then: an event up to here is none for the hook, though the feed shows it later. */
  after: Position | null;
};

/** A subscription as it stands. */
export type WebhookRecord = {
  id: string;
  org_id: string;
  url: string;
  event_types: string[];
  source_kinds: string[] | null;
  description: string | null;
  status: 'active' | 'disabled';
  disabled: { reason: DisabledReason; at: string } | null;
  signing: WebhookSigning;
  start: WebhookStart;
  created_by: string;
  created_at: string;
  updated_at: string;
};

const feature = { since: 'webhooks' };

/** All events of a web hook; one stream `webhook-<id>`. Each carries the whole record. */
export const webhookEvents = defineEvents({
  WebhookCreated: event<{ webhook: WebhookRecord }>(1, {}, feature),
  WebhookChanged: event<{ webhook: WebhookRecord; changed_fields: string[] }>(1, {}, feature),
  WebhookRotated: event<{ webhook: WebhookRecord }>(1, {}, feature),
  WebhookDisabled: event<{ webhook: WebhookRecord }>(1, {}, feature),
  WebhookEnabled: event<{ webhook: WebhookRecord }>(1, {}, feature),
  /** Events are to be sent again; the record is as it was. */
  WebhookRedelivered: event<{
    webhook: WebhookRecord;
    redelivery: { event_id: string | null; since: string | null; until: string | null };
  }>(1, {}, feature),
  WebhookDeleted: event<{ webhook: WebhookRecord }>(1, {}, feature),
  /** The same secrets under another master key. */
  WebhookResealed: event<{ webhook: WebhookRecord }>(1, {}, feature),
});

export type WebhookEvent = EventOf<typeof webhookEvents>;
