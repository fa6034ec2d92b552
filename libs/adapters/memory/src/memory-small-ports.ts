import { Blobs, type Clock, Leases, sha256Hex, Snapshots } from '@aos/kernel';

/** Folded states that live as long as the object. */
export class MemorySnapshots extends Snapshots {
  private readonly kept = new Map<string, { revision: number; state: string }>();

  override async get(key: string): Promise<{ revision: number; state: string } | null> {
    const snapshot = this.kept.get(key);
    return snapshot ? { ...snapshot } : null;
  }

  override async put(key: string, revision: number, state: string): Promise<void> {
    if ((this.kept.get(key)?.revision ?? -Infinity) < revision) this.kept.set(key, { revision, state });
  }

  override async close(): Promise<void> {
    this.kept.clear();
  }
}

/** Leases that live as long as the object. */
export class MemoryLeases extends Leases {
  private readonly held = new Map<string, { owner: string; until: number }>();

  constructor(private readonly clock: Clock) {
    super();
  }

  override async acquire(name: string, owner: string, ttlMs: number): Promise<boolean> {
    const holder = this.holder(name);
    if (holder !== null && holder !== owner) return false;
    this.held.set(name, { owner, until: this.clock.monotonic() + ttlMs });
    return true;
  }

  override renew(name: string, owner: string, ttlMs: number): Promise<boolean> {
    return this.acquire(name, owner, ttlMs); // a lease that went missing is put back
  }

  override async release(name: string, owner: string): Promise<void> {
    if (this.holder(name) === owner) this.held.delete(name);
  }

  override async holders(names: readonly string[]): Promise<(string | null)[]> {
    return names.map((name) => this.holder(name));
  }

  override async close(): Promise<void> {
    this.held.clear();
  }

  private holder(name: string): string | null {
    const lease = this.held.get(name);
    if (!lease) return null;
    if (lease.until > this.clock.monotonic()) return lease.owner;
    this.held.delete(name);
    return null;
  }
}

/** Blobs that live as long as the object. */
export class MemoryBlobs extends Blobs {
  private readonly kept = new Map<string, Uint8Array>();

  override async put(orgId: string, bytes: Uint8Array): Promise<string> {
    const digest = sha256Hex(bytes);
    this.kept.set(`${orgId}\u001f${digest}`, Uint8Array.from(bytes));
    return digest;
  }

  override async get(orgId: string, digest: string): Promise<Uint8Array | null> {
    const bytes = this.kept.get(`${orgId}\u001f${digest}`);
    return bytes ? Uint8Array.from(bytes) : null;
  }
}
