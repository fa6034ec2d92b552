import { Injectable, Logger, Optional, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, EventStore, ShortLivedMap, StoreUnavailable, type Identity, messageOf } from '@aos/kernel';
import { Metrics } from '@aos/platform';
import { SessionCursors, sessionKind } from '@aos/sessions/published';
import { ChangeNotifier } from './change-notifier.js';
import { FeedStarter } from './feed-starter.js';
import { protocolV1, protocolV2, type Protocol } from './protocol.js';
import type { SessionFeed, ViewOptions } from './session-feed.js';
import type { Viewer } from './viewer.js';
import { accessCheckMs, headCheckMs, headCheckUnhealthyMs, headsMax, stalledMs } from './stream.limits.js';

export interface WatchOptions extends Omit<ViewOptions, 'protocol'> {
  protocol: 'v1' | 'v2';
  who: Identity;
  /** Asked again every 30 s, once for all readers with one identity; false ends their streams. */
  mayRead: MayRead;
}

type MayRead = (who: Identity, sessionId: string) => Promise<boolean>;

/** A reader that follows a session; give it back to `leave`. */
export interface Watcher {
  readonly feed: SessionFeed;
  readonly shared: SharedFeed;
  readonly viewer: Viewer;
  readonly who: Identity;
  readonly mayRead: MayRead;
}

interface SharedFeed {
  readonly feed: Promise<SessionFeed>;
  readonly watchers: Set<Watcher>;
  users: number;
  /** When it was last asked who may read. */
  checkedAt: number;
}

/**
 * The watched sessions of this process: one feed for each session while it has viewers.
 *
 * One timer for all of them looks up heads (every 15 s, every second while a notifier is unhealthy), checks again who
 * may read, and drops readers whose sockets stand still.
 */
@Injectable()
export class SessionFeeds implements OnApplicationShutdown {
  private readonly logger = new Logger('streams');
  private readonly shared = new ShortLivedMap<SharedFeed>();
  private readonly open = new ShortLivedMap<SessionFeed>();
  private readonly protocols: Record<'v1' | 'v2', Protocol>;
  private timer: { cancel(): void } | null = null;
  private checking = false;
  private lastHeadCheck = 0;
  private stopped = false;

  constructor(
    private readonly starter: FeedStarter,
    private readonly store: EventStore,
    private readonly notifier: ChangeNotifier,
    private readonly clock: Clock,
    cursors: SessionCursors,
    @Optional() metrics?: Metrics,
  ) {
    metrics?.observedGauge(
      'session_feeds_open',
      'Sessions whose streams are followed in this process.',
      () => this.shared.size,
    );
    this.protocols = { v1: protocolV1, v2: protocolV2(cursors) };
    notifier.onHealth((healthy) => {
      if (healthy) this.afterLoss();
    });
  }

  /**
   * Opens the session's feed, up to date with the log, for the time of `work`: look things up, then `view`.
   *
   * Refuses `not_found` for a session that was never opened, `StoreUnavailable`. The feed lives on while it has
   * viewers.
   */
  async use<T>(sessionId: string, work: (feed: SessionFeed) => Promise<T> | T): Promise<T> {
    const isStarted = this.shared.has(sessionId);
    const shared = this.hold(sessionId);
    try {
      const feed = await shared.feed;
      if (isStarted) await feed.catchUp(); // a new one has just read the log's end
      return await work(feed);
    } finally {
      this.release(sessionId, shared);
    }
  }

  /** Lets a sink follow the feed until `leave` is called; call it when the connection is closed. Only inside `use`. */
  view(feed: SessionFeed, options: WatchOptions): Watcher {
    const { who, mayRead } = options;
    const shared = this.hold(feed.names.sessionId);
    const viewer = feed.view({ ...options, protocol: this.protocols[options.protocol] });
    const watcher: Watcher = { feed, shared, viewer, who, mayRead };
    shared.watchers.add(watcher);
    this.arm();
    return watcher;
  }

  /** A second time does nothing. */
  leave(watcher: Watcher): void {
    const { feed, shared, viewer } = watcher;
    if (!shared.watchers.delete(watcher)) return;
    feed.leave(viewer);
    this.release(feed.names.sessionId, shared);
  }

  /** Sessions watched now. */
  get size(): number {
    return this.open.size;
  }

  onApplicationShutdown(): void {
    this.stopped = true;
    this.timer?.cancel();
    for (const feed of this.open.values()) feed.close();
  }

  private hold(sessionId: string): SharedFeed {
    let shared = this.shared.get(sessionId);
    if (!shared) {
      shared = { feed: this.start(sessionId), watchers: new Set(), users: 0, checkedAt: this.clock.monotonic() };
      this.shared.set(sessionId, shared);
    }
    shared.users += 1;
    return shared;
  }

  private release(sessionId: string, shared: SharedFeed): void {
    shared.users -= 1;
    if (shared.users > 0) return;
    if (this.shared.get(sessionId) === shared) this.shared.delete(sessionId);
    const feed = this.open.get(sessionId);
    this.open.delete(sessionId);
    feed?.close();
  }

  private async start(sessionId: string): Promise<SessionFeed> {
    const feed = await this.starter.start(sessionId, (error) => {
      this.note(error);
    });
    this.open.set(sessionId, feed);
    return feed;
  }

  private note(error: unknown): void {
    this.logger.warn(messageOf(error)); // the next check tries again
  }

  private afterLoss(): void {
    for (const feed of this.open.values()) feed.afterLoss();
    this.lastHeadCheck = -Infinity;
  }

  private arm(): void {
    if (this.stopped || this.timer) return;
    this.timer = this.clock.after(headCheckUnhealthyMs, () => {
      this.timer = null;
      this.tick();
      if (this.shared.size > 0) this.arm();
    });
  }

  private tick(): void {
    const now = this.clock.monotonic();
    for (const feed of this.open.values()) feed.upkeep(stalledMs);
    this.checkAccess(now);
    const due = this.notifier.healthy ? headCheckMs : headCheckUnhealthyMs;
    if (this.checking || now - this.lastHeadCheck < due) return;
    this.lastHeadCheck = now;
    this.checking = true;
    this.checkHeads()
      .catch((error: unknown) => {
        this.note(error);
        this.lastHeadCheck = -Infinity;
      })
      .finally(() => {
        this.checking = false;
      });
  }

  /** Notifies every feed whose stream is further than it knows. */
  private async checkHeads(): Promise<void> {
    const feeds = this.open.values();
    for (let from = 0; from < feeds.length; from += headsMax) {
      const batch = feeds.slice(from, from + headsMax);
      const heads = await this.store.heads(batch.map(({ names }) => `${sessionKind.category}-${names.sessionId}`));
      for (const [index, feed] of batch.entries()) {
        const head = heads[index];
        if (typeof head === 'number') feed.notify(head);
      }
    }
  }

  private checkAccess(now: number): void {
    for (const [sessionId, shared] of this.shared.entries()) {
      if (this.open.get(sessionId)?.isDeleted) {
        for (const { viewer } of shared.watchers) viewer.sink.end();
      } else if (now - shared.checkedAt >= accessCheckMs) {
        shared.checkedAt = now;
        for (const alike of groupsOf(shared.watchers)) this.askAgain(sessionId, alike);
      }
    }
  }

  private askAgain(sessionId: string, alike: readonly Watcher[]): void {
    const [{ who, mayRead }] = alike as [Watcher];
    const end = () => {
      for (const { viewer } of alike) viewer.sink.end();
    };
    mayRead(who, sessionId)
      .then((may) => {
        if (!may) end();
      })
      .catch((error: unknown) => {
        this.note(error);
        if (!(error instanceof StoreUnavailable)) end();
      });
  }
}

/** Readers about whom the answer is the same. */
function groupsOf(watchers: Iterable<Watcher>): Watcher[][] {
  const groups = new Map<unknown, Watcher[][]>();
  for (const watcher of watchers) {
    let ofKey = groups.get(watcher.who.permissions);
    if (!ofKey) groups.set(watcher.who.permissions, (ofKey = []));
    const group = ofKey.find(([first]) => first !== undefined && isAlike(first, watcher));
    if (group) group.push(watcher);
    else ofKey.push([watcher]);
  }
  return [...groups.values()].flat();
}

/** Nothing but the request differs: what a key's identity was read with is shared by its requests. */
function isAlike({ who: one, mayRead }: Watcher, { who: other, mayRead: otherMayRead }: Watcher): boolean {
  return (
    mayRead === otherMayRead &&
    one.orgId === other.orgId &&
    one.principalId === other.principalId &&
    one.apiKeyId === other.apiKeyId &&
    one.kind === other.kind &&
    one.permissions === other.permissions &&
    one.roles === other.roles &&
    one.cap === other.cap
  );
}
