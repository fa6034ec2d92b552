import { LiveBus, untilBeat, type BusSubscription, type Json } from '@aos/kernel';
import { Cluster } from 'ioredis';
import { openClient, RedisConnection, type RedisClient, type RedisSettings } from './redis-connection.js';

const heartbeatMs = 1_000;
/** Messages kept until the first connection is made. */
const earlyMax = 1_000;
/** Messages sent and not yet acknowledged; more are dropped. */
const unacknowledgedMax = 10_000;

type Handler = (message: Json) => void;

interface Channel {
  handlers: Set<Handler>;
  ready: Promise<void>;
  resolve: () => void;
}

/**
 * Live signals over sharded publish and subscribe (Redis 7), previews as hashes that expire.
 *
 * One connection listens, one sends. While it is not healthy what is published is dropped; once healthy again all
 * subscriptions stand. Previews refuse `StoreUnavailable` when Redis does not answer.
 */
export class RedisLiveBus extends LiveBus {
  private readonly out: RedisConnection;
  private readonly listening: RedisClient;
  private readonly channels = new Map<string, Channel>();
  private readonly listeners: ((healthy: boolean) => void)[] = [];
  private heartbeat: NodeJS.Timeout;
  private early: [string, string][] | null = [];
  private whole = false;
  private told = false;
  private unacknowledged = 0;
  private dropped = 0;
  private closed = false;

  constructor(private readonly settings: RedisSettings) {
    super();
    this.out = new RedisConnection(settings, 'bus-out').share();
    this.listening = openClient(settings, 'bus-in');
    this.listening.on('smessage', (channel: string, text: string) => {
      this.dispatch(channel, text);
    });
    this.listening.on('ready', () => {
      void this.resubscribe();
    });
    this.listening.on('close', () => {
      this.whole = false;
      this.tellHealth();
    });
    this.out.onHealth((up) => {
      if (up) this.sendEarly();
      this.tellHealth();
    });
    this.heartbeat = this.nextBeat();
  }

  override get healthy(): boolean {
    return this.whole && this.out.healthy && !this.closed;
  }

  override publish(channel: string, message: Json): void {
    const text = JSON.stringify(message);
    if (this.out.healthy) void this.send(channel, text);
    else if (this.early && this.early.length < earlyMax) this.early.push([channel, text]);
    else this.dropped += 1;
  }

  override async deliver(channel: string, message: Json): Promise<void> {
    if (!this.out.healthy) {
      this.publish(channel, message);
      return;
    }
    if (!(await this.send(channel, JSON.stringify(message)))) return;
    // Redis may answer the publisher before it writes to the subscribers, but it has written to all of them before it
    // reads the next command. In a cluster that command must come to the channel's node: its name as a key leads there.
    await this.out.run((client) => client.get(this.channelKey(channel))).catch(() => undefined); // what is lost is lost
  }

  override subscribe(channel: string, handler: Handler): BusSubscription {
    const name = this.channelKey(channel);
    const own: Handler = (message) => {
      handler(message);
    };
    let entry = this.channels.get(name);
    if (!entry) {
      let resolve: () => void = () => undefined;
      const ready = new Promise<void>((done) => {
        resolve = done;
      });
      entry = { handlers: new Set(), ready, resolve };
      this.channels.set(name, entry);
      if (this.listening.status === 'ready') void this.listen(name, entry);
    }
    entry.handlers.add(own);
    return {
      ready: entry.ready,
      close: () => {
        this.unsubscribe(name, own);
      },
    };
  }

  override async setPreview(key: string, field: string, value: string, ttlMs: number): Promise<void> {
    const name = this.previewKey(key);
    await this.out.run((client) =>
      Promise.all([client.hset(name, field, value), client.pexpire(name, Math.max(1, Math.ceil(ttlMs)))]),
    );
  }

  override async preview(key: string): Promise<Map<string, string>> {
    return new Map(Object.entries(await this.out.run((client) => client.hgetall(this.previewKey(key)))));
  }

  override async dropPreview(key: string, field?: string): Promise<void> {
    const name = this.previewKey(key);
    await this.out.run((client) => (field === undefined ? client.del(name) : client.hdel(name, field)));
  }

  override onHealth(listener: (healthy: boolean) => void): void {
    this.listeners.push(listener);
  }

  override async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.heartbeat);
    this.listening.disconnect();
    await this.out.release();
    for (const { resolve } of this.channels.values()) resolve();
    this.channels.clear();
  }

  private channelKey(channel: string): string {
    return `${this.settings.prefix ?? 'svc'}:live:${channel}`;
  }

  private previewKey(key: string): string {
    return `${this.settings.prefix ?? 'svc'}:preview:${key}`;
  }

  /** Gives true when Redis has it, false when it is lost. */
  private send(channel: string, text: string): Promise<boolean> {
    if (this.unacknowledged >= unacknowledgedMax) {
      this.dropped += 1;
      return Promise.resolve(false);
    }
    this.unacknowledged += 1;
    return this.out
      .run((client) => client.spublish(this.channelKey(channel), text))
      .then(
        () => true,
        () => {
          // at most once: what did not get through is counted, not repeated
          this.dropped += 1;
          return false;
        },
      )
      .finally(() => {
        this.unacknowledged -= 1;
      });
  }

  private sendEarly(): void {
    const waiting = this.early ?? [];
    this.early = null;
    for (const [channel, text] of waiting) void this.send(channel, text);
  }

  /** Subscribes one channel; a fault here is a broken connection, and all channels are subscribed at the next. */
  private async listen(name: string, entry: Channel): Promise<boolean> {
    try {
      await this.listening.ssubscribe(name);
      entry.resolve();
      return true;
    } catch (error) {
      this.settings.log?.(`redis bus: could not subscribe ${name}`, error);
      if (!this.closed) this.listening.disconnect(true);
      return false;
    }
  }

  private async resubscribe(): Promise<void> {
    const done = await Promise.all([...this.channels].map(([name, entry]) => this.listen(name, entry)));
    if (!done.every(Boolean) || this.listening.status !== 'ready') return;
    this.whole = true;
    this.tellHealth();
  }

  private unsubscribe(name: string, handler: Handler): void {
    const entry = this.channels.get(name);
    if (!entry?.handlers.delete(handler) || entry.handlers.size > 0) return;
    this.channels.delete(name);
    entry.resolve();
    if (this.listening.status !== 'ready') return; // the next connection does not ask for it
    this.listening.sunsubscribe(name).catch((error: unknown) => {
      this.settings.log?.(`redis bus: could not unsubscribe ${name}`, error);
    });
  }

  private dispatch(name: string, text: string): void {
    const entry = this.channels.get(name);
    if (!entry) return;
    for (const handler of [...entry.handlers]) {
      if (!entry.handlers.has(handler)) continue;
      try {
        handler(JSON.parse(text) as Json);
      } catch (error) {
        this.settings.log?.(`redis bus: the handler of ${name} threw`, error);
      }
    }
  }

  private tellHealth(): void {
    if (this.healthy === this.told || this.closed) return;
    this.told = this.healthy;
    if (this.told && this.dropped > 0) {
      this.settings.log?.(`redis bus: ${this.dropped} messages were dropped`);
      this.dropped = 0;
    }
    for (const listener of this.listeners) listener(this.told);
  }

  /** With the other questions of the process (`Clock.onBeat`). */
  private nextBeat(): NodeJS.Timeout {
    return setTimeout(
      () => {
        this.heartbeat = this.nextBeat();
        this.beat();
      },
      untilBeat(performance.now(), heartbeatMs),
    ).unref();
  }

  /** A connection that is open and silent is found out within two seconds. */
  private beat(): void {
    if (this.listening.status === 'ready') {
      this.listening.ping().catch(() => {
        if (!this.closed && this.listening.status === 'ready') this.breakOff();
      });
    }
    if (this.out.healthy) {
      this.out
        .run((client) => client.ping())
        .catch(() => {
          if (!this.closed && this.out.healthy) this.out.reconnect();
        });
    }
  }

  private breakOff(): void {
    this.whole = false;
    this.tellHealth();
    if (this.listening instanceof Cluster) return; // it watches its own nodes
    this.listening.disconnect(true);
  }
}
