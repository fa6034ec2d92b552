import { Logger } from '@nestjs/common';
import { messageOf, type Clock, type Leases } from '@aos/kernel';

export interface OwnedLeasesSpec {
  owner: string;
  leaseMs: number;
  /** The leases to renew: those of everything that this process owns now. */
  names: () => Iterable<string>;
}

/**
 * Owns the leases of what runs here, and renews them every third of their time. They are hints: no caller waits for
 * them, and trouble is logged, never thrown.
 */
export class OwnedLeases {
  private readonly log = new Logger('leases');
  private renewal: { cancel(): void } | null = null;
  private closed = false;

  constructor(
    private readonly leases: Leases,
    private readonly clock: Clock,
    private readonly spec: OwnedLeasesSpec,
  ) {}

  /** Owner of every lease that this one takes. */
  get owner(): string {
    return this.spec.owner;
  }

  /** Takes the lease, and renews all from now on while there are any. */
  acquire(name: string): void {
    this.attempt(name, this.leases.acquire(name, this.spec.owner, this.spec.leaseMs));
    if (!this.renewal) this.schedule();
  }

  release(name: string): void {
    this.attempt(name, this.leases.release(name, this.spec.owner));
  }

  /** Renews nothing any more; what is owned can still be released. */
  close(): void {
    this.closed = true;
    this.renewal?.cancel();
  }

  private schedule(): void {
    if (this.closed) return;
    this.renewal = this.clock.after(this.spec.leaseMs / 3, () => {
      this.renewal = null;
      const names = [...this.spec.names()];
      for (const name of names) this.attempt(name, this.leases.renew(name, this.spec.owner, this.spec.leaseMs));
      if (names.length > 0) this.schedule();
    });
  }

  private attempt(name: string, asked: Promise<unknown>): void {
    asked.catch((error: unknown) => {
      this.log.warn(`${name}: ${messageOf(error)}`);
    });
  }
}
