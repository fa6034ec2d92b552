import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, type BusSubscription } from '@aos/kernel';
import { FeedNotifier } from '../doorbell/feed-notifier.js';
import { EventFeed } from './event-feed.js';
import { OrgFeed } from './org-feed.js';

const lookEveryMs = 15_000;
const lookEveryUnhealthyMs = 1_000;

interface Held {
  feed: Promise<OrgFeed>;
  subscription: BusSubscription;
  users: number;
}

/** The organizations whose feed somebody watches in this process: one follower each, one timer for all. */
@Injectable()
export class OrgFeeds implements OnApplicationShutdown {
  private readonly log = new Logger('feeds');
  private readonly held = new Map<string, Held>();
  private readonly open = new Map<string, OrgFeed>();
  private timer: { cancel(): void } | null = null;
  private lookedAt = 0;
  private stopped = false;

  constructor(
    private readonly feed: EventFeed,
    private readonly notifier: FeedNotifier,
    private readonly clock: Clock,
  ) {}

  /** The follower of an organization, until `release` is called. */
  async watch(orgId: string): Promise<{ feed: OrgFeed; release: () => void }> {
    const held = this.held.get(orgId) ?? this.start(orgId);
    held.users += 1;
    let isHeld = true;
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      this.release(orgId, held);
    };
    try {
      return { feed: await held.feed, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  get size(): number {
    return this.open.size;
  }

  onApplicationShutdown(): void {
    this.stopped = true;
    this.timer?.cancel();
    for (const feed of this.open.values()) feed.close();
  }

  private start(orgId: string): Held {
    const subscription = this.notifier.watch(orgId, (position) => {
      this.open.get(orgId)?.notify(position);
    });
    const held: Held = { feed: this.begin(orgId, subscription), subscription, users: 0 };
    this.held.set(orgId, held);
    return held;
  }

  /** The head is read when rings are heard: nothing falls between. */
  private async begin(orgId: string, subscription: BusSubscription): Promise<OrgFeed> {
    await subscription.ready;
    const feed = new OrgFeed(
      {
        orgId,
        feed: this.feed,
        clock: this.clock,
        onTrouble: (error) => {
          this.log.warn(error instanceof Error ? error.message : String(error));
        },
      },
      await this.feed.head(orgId),
    );
    this.open.set(orgId, feed);
    feed.look();
    this.arm();
    return feed;
  }

  private release(orgId: string, held: Held): void {
    held.users -= 1;
    if (held.users > 0) return;
    if (this.held.get(orgId) === held) this.held.delete(orgId);
    held.subscription.close();
    held.feed
      .then((feed) => {
        feed.close();
        if (this.open.get(orgId) === feed) this.open.delete(orgId);
      })
      .catch((error: unknown) => {
        this.log.debug(String(error));
      }); // who watched was told
  }

  private arm(): void {
    if (this.stopped || this.timer) return;
    this.timer = this.clock.after(lookEveryUnhealthyMs, () => {
      this.timer = null;
      const now = this.clock.monotonic();
      if (now - this.lookedAt >= (this.notifier.healthy ? lookEveryMs : lookEveryUnhealthyMs)) {
        this.lookedAt = now;
        for (const feed of this.open.values()) feed.look();
      }
      if (this.open.size > 0) this.arm();
    });
  }
}
