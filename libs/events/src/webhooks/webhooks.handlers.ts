import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply, Schema } from '@aos/contract';
import { Clock, EventStore, Ids, canonicalJson, rfc3339, type Identity, type Json, type Position } from '@aos/kernel';
import { Decisions, ReleaseWrites, actorOf } from '@aos/platform';
import { EventFeed } from '../feed/event-feed.js';
import { WebhookSender } from '../webhook-deliveries/webhook-sender.js';
import { webhookDecider } from '../webhook.decider.js';
import type { WebhookRecord } from '../webhook/webhook.events.js';
import { WebhookSecrets } from '../webhook/webhook-secrets.js';
import { webhookWire } from '../webhook/webhook.wire.js';
import { WebhookChecks } from './webhook-checks.js';
import { WebhookDirectory } from './webhook-directory.js';
import { WebhookRoom } from './webhook-room.js';
import type { WebhookSettings } from './webhooks.decide.js';
import {
  CreateWebhook,
  DeleteWebhook,
  EnableWebhook,
  PingWebhook,
  RotateWebhookSecret,
  UpdateWebhook,
} from './webhooks.commands.js';

const feature = 'webhooks';
const pingType = 'webhook.ping';

const withSecret = (record: WebhookRecord, secret: string): Schema<'WebhookWithSecret'> => ({
  ...webhookWire(record),
  signing_secret: secret,
});

/** The end of the feed, for a hook that follows it from now on. */
async function endOfFeed(
  feed: EventFeed,
  store: EventStore,
  orgId: string,
): Promise<{ position: Position; after: Position }> {
  await feed.requireWhole();
  const position = await feed.head(orgId);
  return { position, after: await store.end() };
}

/**
 * Makes a hook that follows the feed from now on.
 *
 * Refuses  invalid_argument {argument: url}; plan_limit_exceeded {limit: webhooks} for the 51st; upgrade_pending;
 *          StoreUnavailable while the feed is being built.
 */
@CommandHandler(CreateWebhook)
export class CreateWebhookHandler implements ICommandHandler<CreateWebhook> {
  constructor(
    private readonly decisions: Decisions,
    private readonly store: EventStore,
    private readonly feed: EventFeed,
    private readonly checks: WebhookChecks,
    private readonly room: WebhookRoom,
    private readonly secrets: WebhookSecrets,
    private readonly writes: ReleaseWrites,
  ) {}

  async execute({ who, input }: CreateWebhook): Promise<Reply<'createWebhook'>> {
    const { orgId } = who;
    this.checks.url(input.url);
    this.writes.requireFeature(feature);
    return this.room.withRoom(orgId, async ({ id, now }) => {
      const { secret, sealed } = this.secrets.made(orgId, id, 1);
      const { position, after } = await endOfFeed(this.feed, this.store, orgId);
      const webhook: WebhookRecord = {
        id,
        org_id: orgId,
        url: input.url,
        event_types: unique(input.event_types),
        source_kinds: input.source_kinds ? unique(input.source_kinds) : null,
        description: input.description ?? null,
        status: 'active',
        disabled: null,
        signing: { version: 1, sealed, previous: null },
        start: { number: 1, position, after },
        created_by: who.principalId,
        created_at: now,
        updated_at: now,
      };
      await this.decisions.decide(webhookDecider.createWebhook, id, actorOf(who), { webhook }, { isNew: true });
      this.room.changed(id);
      return withSecret(webhook, secret);
    });
  }
}

/** Refuses not_found; invalid_argument {argument: url}; upgrade_pending. */
@CommandHandler(UpdateWebhook)
export class UpdateWebhookHandler implements ICommandHandler<UpdateWebhook> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: WebhookDirectory,
    private readonly checks: WebhookChecks,
    private readonly room: WebhookRoom,
    private readonly writes: ReleaseWrites,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { webhook_id: id, body } }: UpdateWebhook): Promise<Reply<'updateWebhook'>> {
    await this.directory.get(who, id);
    if (body.url !== undefined) this.checks.url(body.url);
    this.writes.requireFeature(feature);
    const change: Partial<WebhookSettings> = {
      ...(body.url !== undefined && { url: body.url }),
      ...(body.event_types && { event_types: unique(body.event_types) }),
      ...(body.source_kinds !== undefined && { source_kinds: body.source_kinds && unique(body.source_kinds) }),
      ...(body.description !== undefined && { description: body.description }),
    };
    const command = { orgId: who.orgId, now: rfc3339(this.clock.now()), change };
    const { state } = await this.decisions.decide(webhookDecider.changeWebhook, id, actorOf(who), command);
    this.room.changed(id);
    return webhookWire(state.webhook as WebhookRecord);
  }
}

/** Refuses not_found; upgrade_pending. */
@CommandHandler(DeleteWebhook)
export class DeleteWebhookHandler implements ICommandHandler<DeleteWebhook> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: WebhookDirectory,
    private readonly room: WebhookRoom,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { webhook_id: id } }: DeleteWebhook): Promise<void> {
    await this.directory.get(who, id);
    const command = { orgId: who.orgId, now: rfc3339(this.clock.now()) };
    await this.decisions.decide(webhookDecider.deleteWebhook, id, actorOf(who), command);
    this.room.changed(id);
  }
}

/** Refuses not_found; upgrade_pending; conflict when another rotation came first. */
@CommandHandler(RotateWebhookSecret)
export class RotateWebhookSecretHandler implements ICommandHandler<RotateWebhookSecret> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: WebhookDirectory,
    private readonly secrets: WebhookSecrets,
    private readonly room: WebhookRoom,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { webhook_id: id } }: RotateWebhookSecret): Promise<Reply<'rotateWebhookSecret'>> {
    const { signing } = await this.directory.get(who, id);
    const { secret, sealed } = this.secrets.made(who.orgId, id, signing.version + 1);
    const command = { orgId: who.orgId, now: rfc3339(this.clock.now()), sealed, version: signing.version };
    const { state } = await this.decisions.decide(webhookDecider.rotateWebhook, id, actorOf(who), command);
    this.room.changed(id);
    return withSecret(state.webhook as WebhookRecord, secret);
  }
}

/** Refuses not_found; upgrade_pending. */
@CommandHandler(EnableWebhook)
export class EnableWebhookHandler implements ICommandHandler<EnableWebhook> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: WebhookDirectory,
    private readonly feed: EventFeed,
    private readonly store: EventStore,
    private readonly room: WebhookRoom,
    private readonly writes: ReleaseWrites,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { webhook_id: id, body } }: EnableWebhook): Promise<Reply<'enableWebhook'>> {
    await this.directory.get(who, id);
    this.writes.requireFeature(feature);
    const start =
      body?.from === 'latest' ? await endOfFeed(this.feed, this.store, who.orgId) : { position: null, after: null };
    const command = { orgId: who.orgId, now: rfc3339(this.clock.now()), ...start };
    const { state } = await this.decisions.decide(webhookDecider.enableWebhook, id, actorOf(who), command);
    this.room.changed(id);
    return webhookWire(state.webhook as WebhookRecord);
  }
}

/** Sends one signed test event now, which is no event of the feed. Refuses not_found. */
@CommandHandler(PingWebhook)
export class PingWebhookHandler implements ICommandHandler<PingWebhook> {
  constructor(
    private readonly directory: WebhookDirectory,
    private readonly sender: WebhookSender,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async execute({ who, input: { webhook_id: webhookId } }: PingWebhook): Promise<Reply<'pingWebhook'>> {
    const webhook = await this.directory.get(who, webhookId);
    const id = `evt_${this.ids.uuid()}`;
    const body = canonicalJson(pingEnvelope(who, webhook, id, rfc3339(this.clock.now())));
    const { status, error } = await this.sender.send(webhook, id, body, new AbortController().signal);
    return status === null ? { error: error ?? 'unreachable' } : { status };
  }
}

function pingEnvelope({ principalId }: Identity, { id: webhookId }: WebhookRecord, id: string, at: string): Json {
  const common = { event_type: pingType, source_kind: 'webhook', source_id: webhookId };
  return {
    ...common,
    event: { webhook_id: webhookId, asked_by: principalId },
    meta: { ...common, id, occurred_at: at, received_at: at },
  };
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
