import { Logger } from '@nestjs/common';
import {
  messageOf,
  type BusSubscription,
  type Clock,
  type ConsumedRecord,
  type EventLog,
  type LogConsumer,
  type Position,
} from '@aos/kernel';
import { ChangeNotifier } from '@aos/streams/published';
import { heartbeatType, partitions, sessionTopic, sourceTopic } from '../relay/records.js';
import { FeedNotifier } from './feed-notifier.js';

/**
 * Without an answered fetch or a heartbeat for so long the notifier counts as unhealthy (ARCHITECTURE.md section 6).
 */
const silenceMaxMs = 1000;
const checkEveryMs = 250;
/**
 * Other notifiers are quicker while they are healthy: this one may bring many revisions at once. With the heartbeats'
 * half second it stays well below the silence that counts.
 */
const gatherMs = 250;

export interface KafkaChangeNotifierParts {
  eventLog: EventLog;
  clock: Clock;
  topicPrefix: string;
  /** Of this process alone: every gateway reads all partitions. */
  group: string;
}

type Notify<T> = (news: T) => void;

/**
 * The relays' topics as a change notifier: session events notify their session, source events their organization's
 * feed.
 *
 * Reads all partitions of both topics from the latest on and commits nothing. Healthy while fetches are answered and
 * every partition of the session log brings its heartbeat.
 */
export class KafkaChangeNotifier extends ChangeNotifier {
  private readonly log = new Logger('doorbell');
  private readonly sessions = new Watchers<number>();
  private readonly organizations = new Watchers<Position>();
  private readonly listeners: ((healthy: boolean) => void)[] = [];
  private readonly heardAt: number[] = Array.from({ length: partitions }, () => -Infinity);
  private fetchedAt = -Infinity;
  private consumer: LogConsumer | null = null;
  private timer: { cancel(): void } | null = null;
  private wasHealthy = false;
  private closed = false;
  /** The same notifier for feeds of organizations. */
  readonly feeds: FeedNotifier;

  constructor(private readonly parts: KafkaChangeNotifierParts) {
    super();
    this.feeds = new KafkaFeedNotifier(this.organizations, () => this.healthy);
  }

  start(): void {
    const { eventLog, topicPrefix, group } = this.parts;
    this.consumer = eventLog.consume(
      {
        topics: [sessionTopic(topicPrefix).topic, sourceTopic(topicPrefix).topic],
        group,
        from: 'latest',
        commit: false,
        gatherMs,
        onFetch: () => {
          this.fetchedAt = this.parts.clock.monotonic();
        },
        onTrouble: (error) => {
          this.log.warn(messageOf(error));
        },
      },
      async (records) => {
        for (const record of records) this.heard(record);
      },
    );
    this.check();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.timer?.cancel();
    await this.consumer?.close();
  }

  override watch(sessionId: string, notify: Notify<number>): BusSubscription {
    return this.sessions.watch(sessionId, notify);
  }

  override get healthy(): boolean {
    const since = this.parts.clock.monotonic() - silenceMaxMs;
    return this.fetchedAt >= since && this.heardAt.every((at) => at >= since);
  }

  override onHealth(listener: (healthy: boolean) => void): void {
    this.listeners.push(listener);
  }

  private heard({ topic, key, partition, headers }: ConsumedRecord): void {
    if (topic === sourceTopic(this.parts.topicPrefix).topic) {
      if (headers.ce_orgid && headers.ce_position) this.organizations.notify(headers.ce_orgid, headers.ce_position);
      return;
    }
    if (headers.ce_type === heartbeatType) this.heardAt[partition] = this.parts.clock.monotonic();
    else this.sessions.notify(key, Number(headers.ce_revision));
  }

  private check(): void {
    if (this.closed) return;
    const { healthy } = this;
    if (healthy !== this.wasHealthy) {
      this.wasHealthy = healthy;
      for (const listener of this.listeners) listener(healthy);
    }
    this.timer = this.parts.clock.onBeat(checkEveryMs, () => {
      this.check();
    });
  }
}

class KafkaFeedNotifier extends FeedNotifier {
  constructor(
    private readonly organizations: Watchers<Position>,
    private readonly isHealthy: () => boolean,
  ) {
    super();
  }

  override watch(orgId: string, notify: Notify<Position>): BusSubscription {
    return this.organizations.watch(orgId, notify);
  }

  override get healthy(): boolean {
    return this.isHealthy();
  }
}

/** Listeners by the name that they watch. */
class Watchers<T> {
  private readonly byName = new Map<string, Set<Notify<T>>>();

  watch(name: string, notify: Notify<T>): BusSubscription {
    const own: Notify<T> = (news) => {
      notify(news);
    };
    const listening = this.byName.get(name) ?? new Set();
    this.byName.set(name, listening.add(own));
    return {
      ready: Promise.resolve(),
      close: () => {
        listening.delete(own);
        if (listening.size === 0 && this.byName.get(name) === listening) this.byName.delete(name);
      },
    };
  }

  notify(name: string, news: T): void {
    for (const notify of this.byName.get(name) ?? []) notify(news);
  }
}
