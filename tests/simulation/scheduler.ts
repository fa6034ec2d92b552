import { Clock } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { Random } from './random.js';

interface Pending {
  place: Place;
  go: () => void;
  /** What the outside does with a request that was on its way when its sender died. */
  onDeath: (() => void) | undefined;
}

const moveMsMax = 3;
const idleShare = 0.03;
const idleMsMax = 100;

/**
 * Decides what happens next. Everything a replica asks of the outside waits here until its turn comes; time moves only
 * here. The whole order follows from the seed.
 */
export class Scheduler {
  readonly clock = new ManualClock();
  private readonly ready: Pending[] = [];
  private readonly delayed = new Set<Pending>();
  turns = 0;

  constructor(private readonly random: Random) {}

  /** Resolves when this is chosen to happen next; never, once the place is dead. */
  turn(place: Place, delayMs = 0, onDeath?: () => void): Promise<void> {
    return new Promise((resolve) => {
      if (place.state === 'dead') return;
      const pending: Pending = { place, go: resolve, onDeath };
      const wait = delayMs + place.slowMs;
      if (wait === 0) {
        this.ready.push(pending);
        return;
      }
      this.delayed.add(pending);
      this.clock.after(wait, () => {
        if (this.delayed.delete(pending)) this.ready.push(pending);
      });
    });
  }

  /** The place is gone: its requests are dropped, some of which the outside carries out all the same. */
  drop(place: Place): void {
    const gone = [...this.ready, ...this.delayed].filter((pending) => pending.place === place);
    for (const pending of gone) {
      this.delayed.delete(pending);
      const at = this.ready.indexOf(pending);
      if (at >= 0) this.ready.splice(at, 1);
      if (this.random.chance(0.5)) pending.onDeath?.();
    }
  }

  /** Lets things happen until so much time has passed. */
  async runFor(ms: number): Promise<void> {
    const until = this.clock.monotonic() + ms;
    for (;;) {
      await settled();
      const left = until - this.clock.monotonic();
      if (left <= 0) return;
      if (this.goOne()) {
        if (this.random.chance(0.3)) this.clock.advance(Math.min(left, this.random.below(moveMsMax)));
        else if (this.random.chance(idleShare)) this.clock.advance(Math.min(left, this.random.below(idleMsMax)));
        continue;
      }
      this.clock.advance(Math.min(left, Math.max(0, (this.clock.nextTimerAt ?? Infinity) - this.clock.monotonic())));
    }
  }

  private goOne(): boolean {
    const able = this.ready.filter(({ place }) => place.state === 'up');
    if (able.length === 0) return false;
    const chosen = this.random.pick(able);
    this.ready.splice(this.ready.indexOf(chosen), 1);
    this.turns += 1;
    chosen.go();
    return true;
  }
}

/** Resolves when nothing can happen any more without a turn or time. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Where code runs: one process that can be stopped in the middle of anything. */
export class Place {
  state: 'up' | 'paused' | 'dead' = 'up';
  /** Added to everything it asks of the outside. */
  slowMs = 0;
  /** Whether it believes that it owns a stream. */
  owns: (stream: string) => boolean = () => false;
  private held: (() => void)[] = [];

  constructor(
    readonly name: string,
    /** Writes members and frames that this build does not know. */
    readonly isNextBuild = false,
  ) {}

  /** Runs now, after the pause, or never. */
  act(action: () => void): void {
    if (this.state === 'up') action();
    else if (this.state === 'paused') this.held.push(action);
  }

  resume(): void {
    if (this.state !== 'paused') return;
    this.state = 'up';
    const held = this.held;
    this.held = [];
    for (const action of held) action();
  }
}

/** The world's time as one process sees it: its timers stop with it, its wall clock may be wrong. */
export class PlaceClock extends Clock {
  private wallOffset = 0;

  constructor(
    private readonly shared: ManualClock,
    private readonly place: Place,
  ) {
    super();
  }

  jump(ms: number): void {
    this.wallOffset += ms;
  }

  override now(): number {
    return this.shared.now() + this.wallOffset;
  }

  override monotonic(): number {
    return this.shared.monotonic();
  }

  override after(ms: number, action: () => void): { cancel(): void } {
    let cancelled = false;
    const timer = this.shared.after(ms, () => {
      this.place.act(() => {
        if (!cancelled) action();
      });
    });
    return {
      cancel: () => {
        cancelled = true;
        timer.cancel();
      },
    };
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const timer = this.after(ms, () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      const abort = () => {
        timer.cancel();
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', abort, { once: true });
    });
  }
}
