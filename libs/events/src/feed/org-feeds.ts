import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, type BusSubscription, messageOf } from '@aos/kernel';
import { FeedNotifier } from '../notifiers/feed-notifier.js';
import { EventFeed } from './event-feed.js';
import { OrgFeed } from './org-feed.js';

const lookEveryMs = 15_000;
const lookEveryUnhealthyMs = 1_000;

interface SharedFeed {
  feed: Promise<OrgFeed>;
  subscription: BusSubscription;
  users: number;
  /** Ends the demand for rows. */
  relax: () => void;
}

/** The organizations with a watched feed in this process: one follower each, one timer for all. */
@Injectable()
export class OrgFeeds implements OnApplicationShutdown {
  private readonly log = new Logger('feeds');
  private readonly shared = new Map<string, SharedFeed>();
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
    const shared = this.shared.get(orgId) ?? this.start(orgId);
    shared.users += 1;
    let isUsed = true;
    const release = () => {
      if (!isUsed) return;
      isUsed = false;
      this.release(orgId, shared);
    };
    try {
      return { feed: await shared.feed, release };
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
    for (const { relax } of this.shared.values()) relax();
  }

  private start(orgId: string): SharedFeed {
    const subscription = this.notifier.watch(orgId, (position) => {
      this.open.get(orgId)?.notify(position);
    });
    const shared: SharedFeed = {
      feed: this.begin(orgId, subscription),
      subscription,
      users: 0,
      relax: this.feed.hold(),
    };
    this.shared.set(orgId, shared);
    return shared;
  }

  /** The head is read once notifications are heard: nothing falls between. */
  private async begin(orgId: string, subscription: BusSubscription): Promise<OrgFeed> {
    await subscription.ready;
    const feed = new OrgFeed(
      {
        orgId,
        feed: this.feed,
        clock: this.clock,
        onTrouble: (error) => {
          this.log.warn(messageOf(error));
        },
      },
      await this.feed.head(orgId),
    );
    this.open.set(orgId, feed);
    feed.look();
    this.arm();
    return feed;
  }

  private release(orgId: string, shared: SharedFeed): void {
    shared.users -= 1;
    if (shared.users > 0) return;
    if (this.shared.get(orgId) === shared) this.shared.delete(orgId);
    shared.subscription.close();
    shared.relax();
    shared.feed
      .then((feed) => {
        feed.close();
        if (this.open.get(orgId) === feed) this.open.delete(orgId);
      })
      .catch((error: unknown) => {
        this.log.debug(String(error));
      }); // its viewers had the error
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
