import type { Clock } from '@aos/kernel';

const everyMs = 1_000;

/**
 * Which replicas answer that they are ready, asked once a second each. One that is stopping, or stands still, is known
 * before a call meets it.
 *
 * Takes    every address, and what asks one: it resolves when the replica is ready and rejects when it is not, within a
 *          bound of its own.
 */
export class ReplicaHealth {
  private readonly unwell = new Set<string>();
  private readonly timers = new Map<string, { cancel(): void }>();
  private closed = false;

  constructor(
    addresses: readonly string[],
    private readonly ask: (address: string) => Promise<void>,
    private readonly clock: Clock,
  ) {
    for (const address of addresses) this.later(address);
  }

  /** The last answer was no, or none. One that was never asked is taken to be well. */
  isUnwell(address: string): boolean {
    return this.unwell.has(address);
  }

  close(): void {
    this.closed = true;
    for (const timer of this.timers.values()) timer.cancel();
  }

  private later(address: string): void {
    if (this.closed) return;
    this.timers.set(
      address,
      this.clock.after(everyMs, () => {
        this.ask(address)
          .then(
            () => {
              this.unwell.delete(address);
            },
            () => {
              this.unwell.add(address);
            },
          )
          .finally(() => {
            this.later(address);
          });
      }),
    );
  }
}
