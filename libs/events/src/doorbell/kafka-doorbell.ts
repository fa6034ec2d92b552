import { Logger } from '@nestjs/common';
import type { BusSubscription, Clock, ConsumedRecord, EventLog, LogConsumer, Position } from '@aos/kernel';
import { Doorbell } from '@aos/streams/published';
import { heartbeatType, partitions, sessionTopic, sourceTopic } from '../relay/records.js';
import { FeedBell } from './feed-bell.js';

/** Without an answered fetch or a heartbeat for so long the bell may be deaf (ARCHITECTURE.md section 6). */
const silenceMaxMs = 1000;
const checkEveryMs = 250;

export interface KafkaDoorbellParts {
  eventLog: EventLog;
  clock: Clock;
  topicPrefix: string;
  /** Of this process alone: every gateway reads all partitions. */
  group: string;
}

type Ring<T> = (place: T) => void;

/**
 * The relays' topics as a doorbell: session events ring their session, source events ring their organization's feed.
 *
 * Reads all partitions of both topics from the latest on and commits nothing. Healthy while fetches are answered and every partition of the
 * session log brings its heartbeat.
 */
export class KafkaDoorbell extends Doorbell {
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
  /** The same bell for feeds of organizations. */
  readonly feeds: FeedBell;

  constructor(private readonly parts: KafkaDoorbellParts) {
    super();
    this.feeds = new KafkaFeedBell(this.organizations, () => this.healthy);
  }

  start(): void {
    const { eventLog, topicPrefix, group } = this.parts;
    this.consumer = eventLog.consume(
      {
        topics: [sessionTopic(topicPrefix).topic, sourceTopic(topicPrefix).topic],
        group,
        from: 'latest',
        commit: false,
        onFetch: () => {
          this.fetchedAt = this.parts.clock.monotonic();
        },
        onTrouble: (error) => {
          this.log.warn(error instanceof Error ? error.message : String(error));
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

  override watch(sessionId: string, ring: Ring<number>): BusSubscription {
    return this.sessions.watch(sessionId, ring);
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
      if (headers.ce_orgid && headers.ce_position) this.organizations.ring(headers.ce_orgid, headers.ce_position);
      return;
    }
    if (headers.ce_type === heartbeatType) this.heardAt[partition] = this.parts.clock.monotonic();
    else this.sessions.ring(key, Number(headers.ce_revision));
  }

  private check(): void {
    if (this.closed) return;
    const { healthy } = this;
    if (healthy !== this.wasHealthy) {
      this.wasHealthy = healthy;
      for (const listener of this.listeners) listener(healthy);
    }
    this.timer = this.parts.clock.after(checkEveryMs, () => {
      this.check();
    });
  }
}

class KafkaFeedBell extends FeedBell {
  constructor(
    private readonly organizations: Watchers<Position>,
    private readonly isHealthy: () => boolean,
  ) {
    super();
  }

  override watch(orgId: string, ring: Ring<Position>): BusSubscription {
    return this.organizations.watch(orgId, ring);
  }

  override get healthy(): boolean {
    return this.isHealthy();
  }
}

/** Who wants to be rung for what. */
class Watchers<T> {
  private readonly byName = new Map<string, Set<Ring<T>>>();

  watch(name: string, ring: Ring<T>): BusSubscription {
    const own: Ring<T> = (place) => {
      ring(place);
    };
    const rings = this.byName.get(name) ?? new Set();
    this.byName.set(name, rings.add(own));
    return {
      ready: Promise.resolve(),
      close: () => {
        rings.delete(own);
        if (rings.size === 0 && this.byName.get(name) === rings) this.byName.delete(name);
      },
    };
  }

  ring(name: string, place: T): void {
    for (const ring of this.byName.get(name) ?? []) ring(place);
  }
}
