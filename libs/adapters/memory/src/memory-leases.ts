import { type Clock, Leases, ShortLivedMap } from '@aos/kernel';

/** Leases that live as long as the object. */
export class MemoryLeases extends Leases {
  private readonly leased = new ShortLivedMap<{ owner: string; until: number }>();

  constructor(private readonly clock: Clock) {
    super();
  }

  override async acquire(name: string, owner: string, ttlMs: number): Promise<boolean> {
    const holder = this.holder(name);
    if (holder !== null && holder !== owner) return false;
    this.leased.set(name, { owner, until: this.clock.monotonic() + ttlMs });
    return true;
  }

  override renew(name: string, owner: string, ttlMs: number): Promise<boolean> {
    return this.acquire(name, owner, ttlMs); // a lease that went missing is put back
  }

  override async release(name: string, owner: string): Promise<void> {
    if (this.holder(name) === owner) this.leased.delete(name);
  }

  override async holders(names: readonly string[]): Promise<(string | null)[]> {
    return names.map((name) => this.holder(name));
  }

  override async close(): Promise<void> {
    this.leased.clear();
  }

  private holder(name: string): string | null {
    const lease = this.leased.get(name);
    if (!lease) return null;
    if (lease.until > this.clock.monotonic()) return lease.owner;
    this.leased.delete(name);
    return null;
  }
}
