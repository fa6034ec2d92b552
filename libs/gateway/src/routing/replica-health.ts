import type { Clock } from '@aos/kernel';

const everyMs = 1_000;
const restingEveryMs = 5_000;
/** A replica of a service that this process never sent anything. */
const unusedEveryMs = 30_000;
/** A replica of a service that was sent nothing for so long is asked less often. */
const usedForMs = 60_000;

/**
 * Which replicas answer that they are ready. One that is stopping, or stands still, is known before a call meets it.
 *
 * Those that calls went to within the last minute are asked once a second, others every five seconds, and those that no
 * call ever went to twice a minute: each process of a fleet asks every other one, and most send each other nothing.
 *
 * Takes    every address, and what asks one: it resolves when the replica is ready and rejects when it is not, within a
 *          bound of its own.
 */
export class ReplicaHealth {
  private readonly unwell = new Set<string>();
  private readonly usedAt = new Map<string, number>();
  private readonly askedAt = new Map<string, number>();
  private readonly underWay = new Set<string>();
  private timer: { cancel(): void } | null = null;
  private closed = false;

  constructor(
    private addresses: readonly string[],
    private readonly ask: (address: string) => Promise<void>,
    private readonly clock: Clock,
  ) {
    const now = clock.monotonic();
    for (const address of addresses) this.askedAt.set(address, now);
    this.later();
  }

  /** There are others now: what was known of those that went is forgotten. */
  replace(addresses: readonly string[]): void {
    this.addresses = addresses;
    const now = this.clock.monotonic();
    for (const address of addresses) if (!this.askedAt.has(address)) this.askedAt.set(address, now);
    for (const address of [...this.askedAt.keys()].filter((each) => !addresses.includes(each))) {
      this.askedAt.delete(address);
      this.usedAt.delete(address);
      this.unwell.delete(address);
    }
    this.later();
  }

  /** The last answer was no, or none. One that was never asked is taken to be well. */
  isUnwell(address: string): boolean {
    return this.unwell.has(address);
  }

  /** A call chooses among these replicas. */
  use(addresses: readonly string[]): void {
    const now = this.clock.monotonic();
    const wereResting = addresses.some((address) => !this.isUsed(address, now));
    for (const address of addresses) this.usedAt.set(address, now);
    if (wereResting) this.later();
  }

  close(): void {
    this.closed = true;
    this.timer?.cancel();
  }

  private isUsed(address: string, now: number): boolean {
    const usedAt = this.usedAt.get(address);
    return usedAt !== undefined && now - usedAt < usedForMs;
  }

  private dueAt(address: string, now: number): number {
    const unlessUsed = this.usedAt.has(address) ? restingEveryMs : unusedEveryMs;
    return (this.askedAt.get(address) ?? now) + (this.isUsed(address, now) ? everyMs : unlessUsed);
  }

  /** One timer for all: what is due at about the same time is asked together. */
  private later(): void {
    this.timer?.cancel();
    this.timer = null;
    const now = this.clock.monotonic();
    const next = Math.min(...this.addresses.map((address) => this.dueAt(address, now)));
    if (this.closed || next === Infinity) return;
    this.timer = this.clock.after(Math.max(0, next - now), () => {
      this.round();
    });
  }

  private round(): void {
    const now = this.clock.monotonic();
    for (const address of this.addresses) {
      if (this.dueAt(address, now) - now > everyMs / 2) continue;
      this.askedAt.set(address, now);
      if (!this.underWay.has(address)) this.askOne(address);
    }
    this.later();
  }

  private askOne(address: string): void {
    this.underWay.add(address);
    this.ask(address)
      .then(
        () => {
          this.unwell.delete(address);
        },
        () => {
          if (this.addresses.includes(address)) this.unwell.add(address);
        },
      )
      .finally(() => {
        this.underWay.delete(address);
      });
  }
}
