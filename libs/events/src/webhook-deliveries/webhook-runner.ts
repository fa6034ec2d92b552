import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  Clock,
  EventStore,
  Ids,
  Leases,
  LiveBus,
  ReadStore,
  messageOf,
  rfc3339,
  type BusSubscription,
  type QueryCursor,
} from '@aos/kernel';
import { Decisions, ReleaseWrites, Settings, serviceActor } from '@aos/platform';
import { systemPrincipalId } from '@aos/access/published';
import { Coalesced } from '../feed/coalesced.js';
import { FeedNotifier } from '../notifiers/feed-notifier.js';
import { webhookDecider } from '../webhook.decider.js';
import type { DisabledReason, WebhookRecord } from '../webhook/webhook.events.js';
import { activeWebhookRows } from '../webhook/webhook.projection.js';
import { webhookKind } from '../webhook/webhook.state.js';
import { DeliverySlots } from './delivery-slots.js';
import { HookDelivery, type HookParts } from './hook-delivery.js';
import { HookReading } from './hook-reading.js';
import { WebhookMeasures } from './webhook-measures.js';
import { WebhookSender } from './webhook-sender.js';

const lease = 'webhooks';
/** A process that delivers and dies is followed within this time: exact revisions fence it. */
const takeoverMs = 5_000;
const pageRows = 100;
/** Says that a hook was changed, or asked for something. */
export const webhooksChannel = 'webhooks';

/** What each hook needs besides the process' own parts. */
@Injectable()
export class DeliveryParts {
  constructor(
    readonly store: EventStore,
    readonly reading: HookReading,
    readonly sender: WebhookSender,
    readonly notifier: FeedNotifier,
    readonly measures: WebhookMeasures,
    readonly clock: Clock,
    readonly ids: Ids,
  ) {}
}

/**
 * Delivers the events of all active hooks: one process of the fleet at a time, by lease. The stream of each
 * hook fences what it has delivered.
 */
@Injectable()
export class WebhookRunner implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('web hooks');
  private readonly hooks = new Map<string, { revision: number; delivery: HookDelivery }>();
  private readonly owner: string;
  private readonly leaseMs: number;
  private readonly slots: DeliverySlots;
  private readonly looking: Coalesced;
  private readonly asked = new Set<string>();
  private watch: BusSubscription | null = null;
  private timer: { cancel(): void } | null = null;
  private isLeading = false;
  private isClosed = false;

  constructor(
    private readonly parts: DeliveryParts,
    private readonly decisions: Decisions,
    private readonly readStore: ReadStore,
    private readonly leases: Leases,
    private readonly bus: LiveBus,
    @Inject(Settings) settings: Pick<Settings, 'leaseSeconds'>,
    private readonly writes: ReleaseWrites,
  ) {
    this.owner = `webhooks_${parts.ids.ulid()}`;
    this.leaseMs = Math.min(settings.leaseSeconds * 1000, takeoverMs);
    this.slots = new DeliverySlots(parts.clock);
    this.looking = new Coalesced(
      () => this.look(),
      (error) => {
        this.log.warn(messageOf(error));
      },
    );
    const all = () => [...this.hooks.values()];
    parts.measures.observe(
      () => all().reduce((sum, { delivery }) => sum + delivery.waiting, 0),
      () => all().filter(({ delivery }) => delivery.isDown).length,
    );
  }

  /** Nothing is delivered beside a release that does not know hooks. */
  onApplicationBootstrap(): void {
    if (this.writes.allowed === 'previous') return;
    this.watch = this.bus.subscribe(webhooksChannel, (message) => {
      if (typeof message === 'string') this.asked.add(message);
      if (this.isLeading) this.looking.ask();
      else this.asked.clear();
    });
    this.tick();
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    this.timer?.cancel();
    this.watch?.close();
    this.slots.close();
    await Promise.all([...this.hooks.values()].map(({ delivery }) => delivery.close()));
    if (!this.isLeading) return;
    await this.leases.release(lease, this.owner).catch((error: unknown) => {
      this.log.warn(messageOf(error)); // it ends by itself: the stop goes on
    });
  }

  /** Whether this process delivers. */
  get active(): boolean {
    return this.isLeading;
  }

  private tick(): void {
    if (this.isClosed) return;
    this.looking.ask();
    this.timer = this.parts.clock.onBeat(this.leaseMs / 3, () => {
      this.tick();
    });
  }

  private async look(): Promise<void> {
    if (this.isClosed) return;
    const leads = await (this.isLeading
      ? this.leases.renew(lease, this.owner, this.leaseMs)
      : this.leases.acquire(lease, this.owner, this.leaseMs));
    if (!leads) return this.follow();
    this.isLeading = true;
    await this.sync();
  }

  private async follow(): Promise<void> {
    this.isLeading = false;
    const hooks = [...this.hooks.values()];
    this.hooks.clear();
    await Promise.all(hooks.map(({ delivery }) => delivery.close()));
  }

  /** The hooks that are active now: begins what is new, ends what is gone, tells what was changed. */
  private async sync(): Promise<void> {
    const active = new Set<string>();
    const asked = [...this.asked];
    this.asked.clear();
    let after: QueryCursor | null = null;
    do {
      const page: Awaited<ReturnType<typeof activeWebhookRows.query>> = await activeWebhookRows.query(this.readStore, {
        scope: ['*'],
        orderBy: { index: 'id', direction: 'asc' },
        limit: pageRows,
        ...(after && { after }),
      });
      for (const { key, revision } of page.rows) {
        active.add(key);
        await this.bring(key, revision);
      }
      after = page.next;
    } while (after);
    for (const [id, { delivery }] of this.hooks) {
      if (active.has(id)) {
        delivery.look({ isAsked: asked.includes(id) });
        continue;
      }
      this.hooks.delete(id);
      await delivery.close();
    }
  }

  private async bring(id: string, revision: number): Promise<void> {
    const known = this.hooks.get(id);
    if (known && known.revision >= revision) return;
    const { state, revision: at } = await this.decisions.load(webhookKind, id, revision);
    const { webhook, isDeleted } = state;
    if (!webhook || isDeleted || webhook.status !== 'active' || this.isClosed) return;
    if (known) {
      known.revision = at;
      known.delivery.configure(webhook);
      return;
    }
    const delivery = new HookDelivery(webhook, this.hookParts());
    this.hooks.set(id, { revision: at, delivery });
    delivery.start();
  }

  private hookParts(): HookParts {
    return {
      ...this.parts,
      slots: this.slots,
      log: this.log,
      owner: this.owner,
      disable: (webhook, reason) => this.disable(webhook, reason),
      takenOver: (id) => {
        this.hooks.delete(id);
      },
    };
  }

  private async disable(webhook: WebhookRecord, reason: DisabledReason): Promise<void> {
    const { id, org_id: orgId, start } = webhook;
    const actor = serviceActor(orgId, systemPrincipalId(orgId), `webhook-${id}`);
    const command = { reason, start: start.number, now: rfc3339(this.parts.clock.now()) };
    const { events } = await this.decisions.decide(webhookDecider.disableWebhook, id, actor, command);
    if (events.length > 0) this.parts.measures.disabled(reason);
    this.looking.ask();
  }
}
