import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply, RequestBody } from '@aos/contract';
import {
  Refusal,
  RevisionConflict,
  StoreUnavailable,
  badRequest,
  invalidArgument,
  notFound,
  rfc3339,
} from '@aos/kernel';
import { Decisions, ReleaseWrites, actorOf } from '@aos/platform';
import { webhookDecider } from '../webhook.decider.js';
import { feedStart } from '../feed/feed.projection.js';
import { noDeliveries, type Deliveries, type Redelivery } from '../webhook-deliveries/backlog.js';
import { HookPosition } from '../webhook-deliveries/hook-position.js';
import { HookReading } from '../webhook-deliveries/hook-reading.js';
import { DeliveryParts } from '../webhook-deliveries/webhook-runner.js';
import type { WebhookRecord } from '../webhook/webhook.events.js';
import { lookedThroughMax, redeliveredMax } from '../webhook/webhook.limits.js';
import { WebhookDirectory } from './webhook-directory.js';
import { WebhookRoom } from './webhook-room.js';
import { RedeliverWebhookEvents } from './webhooks.commands.js';

const pageRows = 100;
const triesMax = 20;
/** Stands for the process that delivers until it has claimed the hook. */
const noOwner = 'asked';

/**
 * Has events sent again, under their own ids. The request is in the audit view before it lies in the hook's stream,
 * where it survives a crash.
 *
 * Refuses  not_found for hook and event; invalid_argument for a time with more than 10,000 events; conflict
 *          {reason: redelivery_running, disabled}; upgrade_pending.
 * Source   rule TE123.
 */
@CommandHandler(RedeliverWebhookEvents)
export class RedeliverWebhookEventsHandler implements ICommandHandler<RedeliverWebhookEvents> {
  constructor(
    private readonly directory: WebhookDirectory,
    private readonly reading: HookReading,
    private readonly room: WebhookRoom,
    private readonly writes: ReleaseWrites,
    private readonly decisions: Decisions,
    private readonly parts: DeliveryParts,
  ) {}

  async execute({ who, input }: RedeliverWebhookEvents): Promise<Reply<'redeliverWebhookEvents'>> {
    const webhook = await this.directory.get(who, input.webhook_id);
    const asked = askedFor(input.body);
    this.writes.requireFeature('webhooks');
    if (webhook.status !== 'active')
      throw new Refusal('conflict', { reason: 'disabled' }, 'the web hook is disabled: enable it first');
    const { redelivery, events } =
      'id' in asked ? await this.single(webhook, asked.id) : await this.range(webhook, asked);
    const kept = this.kept(webhook);
    this.waiting(webhook, await kept.last());
    const { id, since, until } = redelivery;
    await this.decisions.decide(webhookDecider.redeliverWebhook, webhook.id, actorOf(who), {
      orgId: who.orgId,
      now: rfc3339(this.parts.clock.now()),
      redelivery: { event_id: id, since, until },
    });
    if (events === 0) return { events }; // it would only keep others waiting
    await this.put(webhook, kept, redelivery);
    this.room.changed(webhook.id);
    return { events };
  }

  private kept({ id, org_id: orgId }: WebhookRecord): HookPosition {
    return new HookPosition(this.parts, orgId, id, noOwner);
  }

  /** What is kept of its deliveries. Refuses conflict {reason: redelivery_running}. */
  private waiting({ start }: WebhookRecord, last: Awaited<ReturnType<HookPosition['last']>>): Deliveries {
    const known = last?.deliveries ?? noDeliveries(start.number, start.position ?? feedStart);
    if (known.redelivery)
      throw new Refusal('conflict', { reason: 'redelivery_running' }, 'events are being sent again already');
    return known;
  }

  private async put(webhook: WebhookRecord, kept: HookPosition, redelivery: Redelivery): Promise<void> {
    for (let tried = 0; tried < triesMax; tried += 1) {
      const last = await kept.last();
      const known = this.waiting(webhook, last);
      try {
        await kept.ask(last, { ...known, redelivery: { ...redelivery, start: webhook.start.number } });
        return;
      } catch (error) {
        if (!(error instanceof RevisionConflict)) throw error;
      }
    }
    throw new StoreUnavailable(`${webhook.id} delivers too much to be asked`);
  }

  /** Looks from the newest event back, as far as a request may. */
  private async single(webhook: WebhookRecord, id: string): Promise<{ redelivery: Redelivery; events: number }> {
    const isForHook = this.reading.judge(webhook);
    let before: string | null = null;
    for (let looked = 0; looked < lookedThroughMax;) {
      const rows = await this.reading.before(webhook.org_id, before, pageRows);
      const found = rows.find(({ envelope }) => envelope.meta.id === id);
      if (found) {
        if (!(await isForHook(found))) break;
        return { redelivery: { id, since: null, until: null, at: found.position }, events: 1 };
      }
      looked += rows.length;
      before = rows.at(-1)?.position ?? null;
      if (rows.length < pageRows) break;
    }
    throw notFound('event');
  }

  private async range(
    webhook: WebhookRecord,
    { since, until }: { since: string; until: string },
  ): Promise<{ redelivery: Redelivery; events: number }> {
    const isForHook = this.reading.judge(webhook);
    let [events, looked, after] = [0, 0, feedStart];
    for (;;) {
      const rows = await this.reading.between(webhook.org_id, { since, until, after }, pageRows);
      for (const row of rows) if (await isForHook(row)) events += 1;
      looked += rows.length;
      if (events > redeliveredMax || looked > lookedThroughMax)
        throw invalidArgument('until', `more than ${redeliveredMax} events lie in this time`, {
          limit: redeliveredMax,
        });
      if (rows.length < pageRows) break;
      after = rows.at(-1)?.position ?? after;
    }
    return { redelivery: { id: null, since, until, at: feedStart }, events };
  }
}

function askedFor(body: RequestBody<'redeliverWebhookEvents'>): { id: string } | { since: string; until: string } {
  const { event_id: id, since, until } = body;
  if (id !== undefined && since === undefined && until === undefined) return { id };
  if (id !== undefined || since === undefined || until === undefined)
    throw badRequest([{ path: '', message: 'takes either event_id, or since and until' }]);
  if (Date.parse(since) >= Date.parse(until)) throw invalidArgument('until', 'must be after since');
  return { since: rfc3339(Date.parse(since)), until: rfc3339(Date.parse(until)) };
}
