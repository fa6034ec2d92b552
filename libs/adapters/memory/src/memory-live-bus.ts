import { type BusSubscription, type Clock, type Json, LiveBus, ShortLivedMap } from '@aos/kernel';

const keysMax = 100_000;
const queueMax = 100_000; // messages of one turn of the loop; more are lost

interface Preview {
  fields: Map<string, string>;
  until: number;
}

export interface MemoryLiveBusOptions {
  clock: Clock;
  /** What a handler threw; the others of the channel go on. */
  onTrouble: (error: unknown) => void;
}

/**
 * The live bus of one process. A message reaches the handlers after the publisher's turn of the loop, as the same
 * object for all: they must not change it.
 */
export class MemoryLiveBus extends LiveBus {
  override readonly healthy: boolean = true;
  /** Of each channel, a list that is not changed but replaced. */
  private readonly channels = new ShortLivedMap<readonly ((message: Json) => void)[]>();
  private readonly previews = new Map<string, Preview>();
  private queue: [channel: string, message: Json][] = [];

  constructor(private readonly options: MemoryLiveBusOptions) {
    super();
  }

  override publish(channel: string, message: Json): void {
    if (!this.channels.has(channel) || this.queue.length >= queueMax) return;
    if (this.queue.push([channel, message]) === 1)
      setImmediate(() => {
        this.handOut();
      });
  }

  override async deliver(channel: string, message: Json): Promise<void> {
    this.publish(channel, message);
    await new Promise(setImmediate); // comes after `handOut`
  }

  override subscribe(channel: string, handler: (message: Json) => void): BusSubscription {
    const own = (message: Json) => {
      handler(message);
    }; // the same function may subscribe twice
    this.channels.set(channel, [...(this.channels.get(channel) ?? []), own]);
    return {
      ready: Promise.resolve(),
      close: () => {
        const others = this.channels.get(channel)?.filter((handler) => handler !== own) ?? [];
        if (others.length > 0) this.channels.set(channel, others);
        else this.channels.delete(channel);
      },
    };
  }

  override async setPreview(key: string, field: string, value: string, ttlMs: number): Promise<void> {
    const preview = this.alive(key) ?? { fields: new Map<string, string>(), until: 0 };
    preview.fields.set(field, value);
    preview.until = this.options.clock.monotonic() + ttlMs;
    this.previews.delete(key); // last changed, last dropped
    this.previews.set(key, preview);
    this.dropEnded();
  }

  override async preview(key: string): Promise<Map<string, string>> {
    return new Map(this.alive(key)?.fields);
  }

  override async dropPreview(key: string, field?: string): Promise<void> {
    const fields = field === undefined ? undefined : this.previews.get(key)?.fields;
    if (field !== undefined) fields?.delete(field);
    if (field === undefined || fields?.size === 0) this.previews.delete(key);
  }

  /** It never breaks: nothing to tell. */
  override onHealth(_listener: (healthy: boolean) => void): void {}

  override async close(): Promise<void> {
    this.channels.clear();
    this.previews.clear();
  }

  private handOut(): void {
    const messages = this.queue;
    this.queue = [];
    for (const [channel, message] of messages) {
      for (const handler of this.channels.get(channel) ?? []) {
        try {
          handler(message);
        } catch (error) {
          this.options.onTrouble(error);
        }
      }
    }
  }

  private alive(key: string): Preview | undefined {
    const preview = this.previews.get(key);
    return preview && preview.until > this.options.clock.monotonic() ? preview : undefined;
  }

  /** The oldest ones that ended, and the oldest of too many. */
  private dropEnded(): void {
    const nowMs = this.options.clock.monotonic();
    for (const [key, { until }] of this.previews) {
      if (until > nowMs && this.previews.size <= keysMax) return;
      this.previews.delete(key);
    }
  }
}
