import { Refusal, notFound, rfc3339, type Position } from '@aos/kernel';
import { previousSecretMs } from '../webhook/webhook.limits.js';
import type { DisabledReason, WebhookEvent, WebhookRecord, WebhookSigning } from '../webhook/webhook.events.js';
import type { WebhookState } from '../webhook/webhook.state.js';

/** What a caller may say of a hook. */
export type WebhookSettings = Pick<WebhookRecord, 'url' | 'event_types' | 'source_kinds' | 'description'>;

interface OfCaller {
  orgId: string;
  now: string;
}

/** The hook of the caller's organization. Refuses not_found. */
function standing({ webhook, isDeleted }: WebhookState, orgId: string): WebhookRecord {
  if (webhook?.org_id !== orgId || isDeleted) throw notFound('web hook');
  return webhook;
}

/** Gives nothing when it was created before. */
export function createWebhook({ webhook }: { webhook: WebhookRecord }, state: WebhookState): WebhookEvent[] {
  return state.webhook ? [] : [{ type: 'WebhookCreated', data: { webhook } }];
}

/**
 * Changes what a hook is sent, and where.
 *
 * Gives    nothing when it stands so already.
 * Refuses  not_found.
 */
export function changeWebhook(
  { orgId, now, change }: OfCaller & { change: Partial<WebhookSettings> },
  state: WebhookState,
): WebhookEvent[] {
  const webhook = standing(state, orgId);
  const changed = (Object.keys(change) as (keyof WebhookSettings)[]).filter(
    (field) => JSON.stringify(change[field]) !== JSON.stringify(webhook[field]),
  );
  if (changed.length === 0) return [];
  return [
    {
      type: 'WebhookChanged',
      data: { webhook: { ...webhook, ...change, updated_at: now }, changed_fields: changed.sort() },
    },
  ];
}

/**
 * Gives a hook a new secret; the one before signs beside it for 24 hours.
 *
 * Takes    the secret sealed for the version after `version`, which the caller read.
 * Refuses  not_found; conflict when another rotation came first.
 * Source   rule TE121.
 */
export function rotateWebhook(
  { orgId, now, sealed, version }: OfCaller & { sealed: string; version: number },
  state: WebhookState,
): WebhookEvent[] {
  const webhook = standing(state, orgId);
  if (webhook.signing.version !== version)
    throw new Refusal('conflict', { reason: 'rotated_meanwhile' }, 'the secret was rotated meanwhile');
  const until = rfc3339(Date.parse(now) + previousSecretMs);
  const signing = { version: version + 1, sealed, previous: { version, sealed: webhook.signing.sealed, until } };
  return [{ type: 'WebhookRotated', data: { webhook: { ...webhook, signing, updated_at: now } } }];
}

/**
 * Stops the deliveries of a hook (rule TE123).
 *
 * Gives    nothing when it is deleted or disabled, or was enabled since the start in question.
 */
export function disableWebhook(
  { reason, start, now }: { reason: DisabledReason; start: number; now: string },
  { webhook, isDeleted }: WebhookState,
): WebhookEvent[] {
  if (!webhook || isDeleted || webhook.status === 'disabled' || webhook.start.number !== start) return [];
  const disabled = { reason, at: now };
  return [
    { type: 'WebhookDisabled', data: { webhook: { ...webhook, status: 'disabled', disabled, updated_at: now } } },
  ];
}

/**
 * Lets a hook go on where it stood, or from a position.
 *
 * Gives    nothing for one that is active.
 * Refuses  not_found.
 */
export function enableWebhook(
  { orgId, now, position, after }: OfCaller & { position: Position | null; after: Position | null },
  state: WebhookState,
): WebhookEvent[] {
  const webhook = standing(state, orgId);
  if (webhook.status === 'active') return [];
  const start = { number: webhook.start.number + 1, position, after: after ?? webhook.start.after };
  return [
    {
      type: 'WebhookEnabled',
      data: { webhook: { ...webhook, status: 'active', disabled: null, start, updated_at: now } },
    },
  ];
}

/**
 * Records that events are to be sent again, for auditors: what is sent lies in the hook's other stream.
 *
 * Refuses  not_found; conflict {reason: disabled}.
 * Source   rule TE123.
 */
export function redeliverWebhook(
  {
    orgId,
    redelivery,
  }: OfCaller & { redelivery: { event_id: string | null; since: string | null; until: string | null } },
  state: WebhookState,
): WebhookEvent[] {
  const webhook = standing(state, orgId);
  if (webhook.status !== 'active')
    throw new Refusal('conflict', { reason: 'disabled' }, 'the web hook is disabled: enable it first');
  return [{ type: 'WebhookRedelivered', data: { webhook, redelivery } }];
}

/** Refuses not_found. */
export function deleteWebhook({ orgId, now }: OfCaller, state: WebhookState): WebhookEvent[] {
  return [{ type: 'WebhookDeleted', data: { webhook: { ...standing(state, orgId), updated_at: now } } }];
}

/**
 * Puts the same secrets in position under another master key.
 *
 * Gives    nothing when they are not those that were read.
 * Source   control S32.
 */
export function resealWebhook(
  { before, signing }: { before: WebhookSigning; signing: WebhookSigning },
  { webhook, isDeleted }: WebhookState,
): WebhookEvent[] {
  if (!webhook || isDeleted || JSON.stringify(webhook.signing) !== JSON.stringify(before)) return [];
  return [{ type: 'WebhookResealed', data: { webhook: { ...webhook, signing } } }];
}
