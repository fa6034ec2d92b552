import { Stop, type Clock, type EventSubscription, type RecordedEvent, type SubscribeOptions } from '@aos/kernel';
import type { TailEntry } from './log-tail.js';
import { positionText } from './position.js';

const batchDefault = 512;
const batchMax = 4096;
const backoffFirstMs = 50;
const backoffMaxMs = 5000;
const lookedEveryMs = 1000;
const gatherMs = 50; // events, while what is made of them is not waited for

/** What a subscription reads from. */
export interface LogSource {
  /** Events after the position whose stream has one of the prefixes, and the position up to which was looked. */
  after(position: number, prefixes: readonly string[], limit: number): { events: RecordedEvent[]; upTo: number };
}

type Handler = (events: RecordedEvent[]) => Promise<void>;

/**
 * One reader of the log: replays, then waits to be woken by the store. Never polls. While what it makes is not waited
 * for it lets events gather before each look.
 */
export class LogSubscription implements EventSubscription {
  readonly ended: Promise<void>;
  private idle = false;
  private wake: () => void = () => undefined;
  private readonly closing = new AbortController();
  private lookedAt = -Infinity;
  private toldPosition = -1;
  private lookTimer: { cancel(): void } | null = null;
  private readonly batchMax: number;

  constructor(
    private readonly source: LogSource,
    private readonly clock: Clock,
    private position: number,
    private readonly options: SubscribeOptions,
    private readonly handler: Handler,
    onEnd: (subscription: LogSubscription) => void,
  ) {
    this.batchMax = Math.min(options.batchMax ?? batchDefault, batchMax);
    this.ended = Promise.resolve()
      .then(() => this.run())
      .finally(() => {
        this.lookTimer?.cancel();
        onEnd(this);
      });
    this.ended.catch(() => undefined); // reported through onTrouble, and to callers that await `ended`
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.wake();
    await this.ended.catch(() => undefined); // the handler's Stop was told when it was thrown
  }

  /** The store has new events, in log order, of these streams. */
  notify(entries: readonly TailEntry[], streams: ReadonlySet<string>): void {
    if (!this.idle) return;
    if (this.readsOneOf(streams)) {
      this.idle = false;
      this.wake();
      return;
    }
    // Only what was told of is passed over: the log may be further already, and word of that is still to come.
    this.position = Math.max(this.position, entries.at(-1)?.at ?? 0);
    this.looked();
  }

  private readsOneOf(streams: ReadonlySet<string>): boolean {
    for (const stream of streams)
      for (const prefix of this.options.prefixes) if (stream.startsWith(prefix)) return true;
    return false;
  }

  private get closed(): boolean {
    return this.closing.signal.aborted;
  }

  private async run(): Promise<void> {
    let failures = 0;
    let tellCaughtUp = true;
    while (!this.closed) {
      try {
        const { events, upTo } = this.source.after(this.position, this.options.prefixes, this.batchMax);
        if (upTo === this.position) {
          if (tellCaughtUp) this.options.onCaughtUp?.();
          tellCaughtUp = false;
          await this.untilWoken();
          await this.gathered();
          continue;
        }
        if (events.length > 0) {
          await this.handler(events);
          tellCaughtUp = true;
        }
        this.position = upTo;
        failures = 0;
        this.looked();
      } catch (error) {
        this.options.onTrouble?.(error);
        if (error instanceof Stop) throw error;
        failures += 1;
        await this.pause(failures);
      }
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      await this.gathered();
    }
  }

  private async untilWoken(): Promise<void> {
    if (this.closed) return;
    await new Promise<void>((resolve) => {
      this.idle = true;
      this.wake = resolve;
    });
    this.idle = false;
  }

  /** Resolves at the time of the next look: at once, or later while there is no demand. */
  private async gathered(): Promise<void> {
    const { demand } = this.options;
    if (!demand || demand.isPresent || this.closed) return;
    let cancels: { cancel(): void }[] = [];
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      cancels = [demand.onArrival(resolve), this.clock.after(gatherMs, resolve)];
    });
    for (const one of cancels) one.cancel();
  }

  /** Full jitter over a doubling span. */
  private async pause(failures: number): Promise<void> {
    const spanMs = Math.min(backoffMaxMs, backoffFirstMs * 2 ** Math.min(failures, 10));
    await this.clock.sleep(spanMs / 2 + Math.random() * (spanMs / 2), this.closing.signal).catch((reason: unknown) => {
      if (!this.closed) throw reason;
    });
  }

  private looked(): void {
    const { onPosition } = this.options;
    if (!onPosition || this.lookTimer || this.position === this.toldPosition || this.closed) return;
    const dueMs = this.lookedAt + lookedEveryMs - this.clock.monotonic();
    if (dueMs > 0) {
      this.lookTimer = this.clock.after(dueMs, () => {
        this.lookTimer = null;
        if (this.idle || this.position !== this.toldPosition) this.looked();
      });
      return;
    }
    this.lookedAt = this.clock.monotonic();
    this.toldPosition = this.position;
    onPosition(positionText(this.position));
  }
}
