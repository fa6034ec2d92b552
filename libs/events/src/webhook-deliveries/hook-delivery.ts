import type { Logger } from '@nestjs/common';
import { StoreUnavailable, canonicalJson, messageOf, type BusSubscription, type Position } from '@aos/kernel';
import { failpoint } from '@aos/platform';
import { Coalesced } from '../feed/coalesced.js';
import type { FeedRow } from '../feed/feed.projection.js';
import type { FeedNotifier } from '../notifiers/feed-notifier.js';
import type { DisabledReason, WebhookRecord } from '../webhook/webhook.events.js';
import { inFlight, redeliveredWaitingMax, waitingMax } from '../webhook/webhook.limits.js';
import { Backlog, forgiven, noDeliveries, type Deliveries, type Redelivery, type WaitingEvent } from './backlog.js';
import type { DeliverySlots, Sending } from './delivery-slots.js';
import { HookPosition, HookTakenOver, type PositionParts } from './hook-position.js';
import { eventIdOf, type HookReading, type Judge } from './hook-reading.js';
import type { WebhookMeasures } from './webhook-measures.js';
import { wasTaken, type WebhookSender } from './webhook-sender.js';

const keepEveryMs = 1_000;
const storeAwayMs = 1_000;

export interface HookParts extends PositionParts {
  reading: HookReading;
  sender: WebhookSender;
  slots: DeliverySlots;
  notifier: FeedNotifier;
  measures: WebhookMeasures;
  log: Logger;
  /** Names this process. */
  owner: string;
  /** Records that the hook is disabled. */
  disable(webhook: WebhookRecord, reason: DisabledReason): Promise<void>;
  /** Called once it delivers no more by itself: another process does. */
  takenOver(webhookId: string): void;
}

/**
 * The deliveries of one hook in the process that has claimed it.
 *
 * Promises: each event of the feed that is for the hook is sent at least once under one id while the feed is kept;
 * after a crash what left in the last second comes again. Does not promise an order.
 * Source: rules TE120, TE122, TE123.
 */
export class HookDelivery implements Sending {
  private readonly position: HookPosition;
  private readonly working: Coalesced;
  private readonly keeping: Coalesced;
  private readonly stopping = new AbortController();
  private readonly underWay = new Set<Promise<void>>();
  private watch: BusSubscription | null = null;
  private backlog: Backlog | null = null;
  private kept: Deliveries;
  /** Whether the feed may have rows after the last position. */
  private mayHaveMore = true;
  private isAsked = false;
  private isDirty = false;
  private isDisabling = false;
  private keptAt = -Infinity;
  private lastKeep: Promise<void> = Promise.resolve();
  private timers: { due?: { cancel(): void }; keep?: { cancel(): void } } = {};

  constructor(
    private webhook: WebhookRecord,
    private readonly parts: HookParts,
  ) {
    this.kept = noDeliveries(0, '');
    this.position = new HookPosition(parts, webhook.org_id, webhook.id, parts.owner);
    const trouble = (error: unknown) => {
      this.trouble(error);
    };
    this.working = new Coalesced(() => this.work(), trouble);
    this.keeping = new Coalesced(() => this.keep(), trouble);
  }

  get orgId(): string {
    return this.webhook.org_id;
  }

  get waiting(): number {
    return this.backlog?.size ?? 0;
  }

  get isDown(): boolean {
    return this.backlog?.down != null;
  }

  start(): void {
    this.watch = this.parts.notifier.watch(this.orgId, () => {
      this.look();
    });
    this.working.ask();
  }

  /** The hook was changed: what waits is judged by what it asks for from now on, and goes to a new address at once. */
  configure(webhook: WebhookRecord): void {
    const isElsewhere = webhook.url !== this.webhook.url;
    this.webhook = webhook;
    if (isElsewhere) this.backlog?.beginElsewhere(this.parts.clock.now());
    this.isDirty ||= isElsewhere;
    this.look();
  }

  /** There may be more: of the feed, or a redelivery that was asked for. */
  look({ isAsked = false } = {}): void {
    this.mayHaveMore = true;
    this.isAsked ||= isAsked;
    this.working.ask();
  }

  sendOne(ended: () => void): boolean {
    const event = this.isOver || this.waitsForSlot ? null : this.backlog?.due(this.parts.clock.now());
    if (!event) return false;
    this.backlog?.begin(event);
    const attempt = this.attempt(event)
      .catch((error: unknown) => {
        this.backlog?.postpone(event, this.parts.clock.now() + storeAwayMs);
        this.trouble(error);
      })
      .finally(() => {
        this.underWay.delete(attempt);
        this.isDirty = true;
        ended();
        this.working.ask();
      });
    this.underWay.add(attempt);
    return true;
  }

  /** Resolves when nothing is under way any more and what is known is kept. */
  async close(): Promise<void> {
    if (this.isOver) return;
    this.stopping.abort();
    this.timers.due?.cancel();
    this.timers.keep?.cancel();
    this.watch?.close();
    await Promise.all(this.underWay);
    if (this.backlog) await this.keep().catch((error: unknown) => this.trouble(error));
  }

  private get isOver(): boolean {
    return this.stopping.signal.aborted;
  }

  private get waitsForSlot(): boolean {
    return (this.backlog?.inFlight ?? 0) >= inFlight.hook;
  }

  private async work(): Promise<void> {
    if (this.isOver) return;
    const backlog = this.backlog ?? (await this.claimed());
    if (this.webhook.start.number !== this.kept.start) this.begin(backlog);
    if (this.isAsked) await this.takeUpAsked();
    await this.readFeed();
    await this.readAgain();
    if (this.isOver) return;
    this.sendSoon();
    if (this.isDirty) this.keepSoon();
  }

  private async claimed(): Promise<Backlog> {
    const { start } = this.webhook;
    const known = await this.position.claim();
    this.kept = known ?? noDeliveries(start.number, start.position ?? '');
    return (this.backlog = new Backlog(this.kept));
  }

  /**
   * It was enabled: it goes on where it stood, as if nothing had failed, or begins at another position. A redelivery
   * that was asked for since then stays, wherever it begins.
   */
  private begin(before: Backlog): void {
    const { number, position } = this.webhook.start;
    const { waiting, redelivery, ...kept } = { ...this.kept, ...before.kept };
    const now = this.parts.clock.now();
    const left = position === null ? waiting.map((event) => forgiven(event, now)) : [];
    this.kept = {
      ...kept,
      start: number,
      position: position ?? kept.position,
      waiting: left,
      down: null,
      redelivery: position === null || redelivery?.start === number ? redelivery : null,
    };
    this.backlog = new Backlog(this.kept);
    this.isDirty = true;
  }

  private async takeUpAsked(): Promise<void> {
    this.isAsked = false;
    await this.keep(); // meets what was put in
  }

  /** Takes what follows of the feed, as much as may wait. */
  private async readFeed(): Promise<void> {
    const { reading, clock } = this.parts;
    if (!this.mayHaveMore) return;
    if (await reading.hasLost(this.orgId, this.kept.position)) return this.disable('fell_behind');
    for (let isMore = true; isMore && this.waiting < waitingMax && !this.isOver;) {
      const rows = await reading.after(this.orgId, this.kept.position);
      if (rows.length === 0) this.mayHaveMore = false;
      isMore = await this.take(rows, reading.judge(this.webhook), clock.now());
      this.sendSoon();
    }
  }

  /** Gives whether all of them were taken. */
  private async take(rows: readonly FeedRow[], isForHook: Judge, now: number): Promise<boolean> {
    const { after } = this.webhook.start;
    for (const row of rows) {
      if (this.waiting >= waitingMax) return false;
      const isNew = after === null || row.position > after;
      if (isNew && (await isForHook(row))) this.backlog?.add(eventIdOf(row), row.position, now);
      this.kept.position = row.position;
      this.isDirty = true;
    }
    return rows.length > 0;
  }

  /** Takes what is to be sent again, and leaves room for what is new. */
  private async readAgain(): Promise<void> {
    const { redelivery } = this.kept;
    if (!redelivery || this.waiting >= redeliveredWaitingMax) return;
    this.isDirty = true;
    const { id, since, until } = redelivery;
    if (id !== null) {
      this.backlog?.add(id, redelivery.at, this.parts.clock.now());
      this.kept.redelivery = null;
      return;
    }
    const { reading, clock } = this.parts;
    while (this.waiting < redeliveredWaitingMax && !this.isOver) {
      const time = { since: since ?? '', until: until ?? '', after: redelivery.at };
      const rows = await reading.between(this.orgId, time);
      const isForHook = reading.judge(this.webhook);
      for (const row of rows) {
        if (row.position > this.kept.position) return this.endRedelivery(); // it comes by itself
        if (await isForHook(row)) this.backlog?.add(eventIdOf(row), row.position, clock.now());
        redelivery.at = row.position;
      }
      if (rows.length === 0) return this.endRedelivery();
    }
  }

  private endRedelivery(): void {
    this.kept.redelivery = null;
  }

  private async attempt(event: WaitingEvent): Promise<void> {
    const { reading, sender, clock, ids, measures } = this.parts;
    const { webhook, backlog } = this;
    if (!backlog) return;
    const row = await reading.at(this.orgId, event.position);
    if (!row || !(await reading.judge(webhook)(row))) {
      backlog.drop(event);
      return measures.tried('dropped');
    }
    failpoint('before-webhook');
    const body = canonicalJson(row.envelope);
    const end = await sender.send(webhook, eventIdOf(row), body, this.stopping.signal);
    failpoint('after-webhook');
    const now = clock.now();
    const isElsewhereNow = this.webhook.url !== webhook.url; // what the endpoint before says counts no more
    if (end.error === 'aborted' || (isElsewhereNow && !wasTaken(end))) return backlog.postpone(event, now);
    measures.tried(wasTaken(end) ? 'delivered' : 'failed');
    if (wasTaken(end)) return backlog.succeed(event, now);
    const [random = 0] = ids.randomBytes(1);
    backlog.fail(event, now, { ...end, random: random / 255 });
    if (end.status === 410) await this.disable('gone');
    else if (backlog.isGivenUp(now)) await this.disable('down');
  }

  private async disable(reason: DisabledReason): Promise<void> {
    if (this.isDisabling) return;
    this.isDisabling = true;
    try {
      await this.parts.disable(this.webhook, reason);
    } finally {
      this.isDisabling = false;
    }
  }

  private sendSoon(): void {
    const { slots, clock } = this.parts;
    this.timers.due?.cancel();
    if (!this.backlog || this.isOver || this.waitsForSlot) return;
    const now = clock.now();
    const at = this.backlog.nextAt;
    if (at === null) return;
    if (at <= now) slots.want(this);
    else
      this.timers.due = clock.after(at - now, () => {
        this.working.ask();
      });
  }

  private keepSoon(): void {
    const { clock } = this.parts;
    if (this.timers.keep || this.isOver) return;
    const wait = Math.max(0, this.keptAt + keepEveryMs - clock.monotonic());
    this.timers.keep = clock.after(wait, () => {
      delete this.timers.keep;
      this.keeping.ask();
    });
  }

  /** One after the other: each stands on the revision of the one before. */
  private keep(): Promise<void> {
    const next = () => this.keepNow();
    return (this.lastKeep = this.lastKeep.then(next, next));
  }

  private async keepNow(): Promise<void> {
    const { backlog, parts } = this;
    if (!backlog) return;
    this.isDirty = false;
    this.keptAt = parts.clock.monotonic();
    failpoint('before-hook-position');
    try {
      const asked = await this.position.keep({ ...this.kept, ...backlog.kept });
      failpoint('after-hook-position');
      if (asked) this.takeUp(asked);
    } catch (error) {
      this.isDirty = true;
      if (error instanceof HookTakenOver) return this.leave(error);
      throw error;
    }
  }

  private takeUp(asked: Redelivery): void {
    this.kept.redelivery ??= { ...asked };
    this.working.ask();
  }

  /** Another process delivers: nothing of this one may be kept. */
  private leave(error: HookTakenOver): void {
    this.parts.log.warn(error.message);
    this.backlog = null;
    this.stopping.abort();
    this.timers.due?.cancel();
    this.timers.keep?.cancel();
    this.watch?.close();
    this.parts.takenOver(this.webhook.id);
  }

  private trouble(error: unknown): void {
    this.parts.log.warn(`${this.webhook.id}: ${messageOf(error)}`);
    if (error instanceof HookTakenOver) return this.leave(error);
    if (this.isOver) return;
    const position: Position = this.kept.position;
    if (!(error instanceof StoreUnavailable))
      this.parts.log.error(`${this.webhook.id} at ${position}: ${String(error)}`);
    this.timers.due?.cancel();
    this.timers.due = this.parts.clock.after(storeAwayMs, () => {
      this.look();
    });
    if (this.isDirty) this.keepSoon();
  }
}
