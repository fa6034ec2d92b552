import { Stop, type Clock, type EventSubscription, type RecordedEvent, type SubscribeOptions } from '@aos/kernel';

const batchDefault = 512;
const retryFirstMs = 50;
const retryMaxMs = 5000;
const lookedEveryMs = 1000;
const digits = 20;

interface SubscriptionParts {
  read: (position: number, limit: number) => { events: RecordedEvent[]; upTo: number };
  clock: Clock;
  from: number;
  options: SubscribeOptions;
  handler: (events: RecordedEvent[]) => Promise<void>;
  onEnd: (subscription: MemorySubscription) => void;
}

/** One reader of the log in memory. Retries at fixed, doubling times, so that simulations are exact. */
export class MemorySubscription implements EventSubscription {
  readonly ended: Promise<void>;
  private position: number;
  private wake: () => void = () => undefined;
  private lookedAt = -Infinity;
  private readonly closing = new AbortController();

  constructor(private readonly parts: SubscriptionParts) {
    this.position = parts.from;
    this.ended = Promise.resolve()
      .then(() => this.run())
      .finally(() => {
        parts.onEnd(this);
      });
    this.ended.catch(() => undefined); // reported through onTrouble, and to callers that await `ended`
  }

  notify(): void {
    this.wake();
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.wake();
    await this.ended.catch(() => undefined); // the handler's Stop was told when it was thrown
  }

  private get closed(): boolean {
    return this.closing.signal.aborted;
  }

  private async run(): Promise<void> {
    const { read, options, handler } = this.parts;
    let failures = 0;
    let tellCaughtUp = true;
    while (!this.closed) {
      try {
        const { events, upTo } = read(this.position, options.batchMax ?? batchDefault);
        if (upTo === this.position) {
          if (tellCaughtUp) options.onCaughtUp?.();
          tellCaughtUp = false;
          await this.untilRung();
          continue;
        }
        if (events.length > 0) {
          await handler(events);
          tellCaughtUp = true;
        }
        this.position = upTo;
        failures = 0;
        this.looked();
      } catch (error) {
        options.onTrouble?.(error);
        if (error instanceof Stop) throw error;
        failures += 1;
        await this.pause(Math.min(retryMaxMs, retryFirstMs * 2 ** (failures - 1)));
      }
    }
  }

  private async untilRung(): Promise<void> {
    if (!this.closed)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
  }

  private async pause(ms: number): Promise<void> {
    await this.parts.clock.sleep(ms, this.closing.signal).catch((reason: unknown) => {
      if (!this.closed) throw reason;
    });
  }

  private looked(): void {
    const nowMs = this.parts.clock.monotonic();
    if (nowMs - this.lookedAt < lookedEveryMs) return;
    this.lookedAt = nowMs;
    this.parts.options.onPosition?.(String(this.position).padStart(digits, '0'));
  }
}
