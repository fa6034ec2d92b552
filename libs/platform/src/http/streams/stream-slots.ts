import type { Identity } from '@aos/kernel';
import { RefusalWithHeaders } from '../server/envelope.js';

export interface StreamLimits {
  readonly perKey: number;
  readonly perOrg: number;
  readonly perProcess: number;
}

const RETRY_SECONDS = '5';

/** Counts open streams per key, organization and process; 0 is no limit (decision L16). */
export class StreamSlots {
  private readonly counts = new Map<string, number>();
  private total = 0;

  constructor(private readonly limits: StreamLimits) {}

  get open(): number {
    return this.total;
  }

  /** Gives the function that returns the slot. Refuses `rate_limit_exceeded`. */
  take(identity: Pick<Identity, 'orgId' | 'principalId' | 'apiKeyId'>): () => void {
    const key = `k:${identity.orgId}:${identity.apiKeyId ?? identity.principalId}`;
    const org = `o:${identity.orgId}`;
    this.refuseAt(this.counts.get(key) ?? 0, this.limits.perKey, 'key');
    this.refuseAt(this.counts.get(org) ?? 0, this.limits.perOrg, 'org');
    this.refuseAt(this.total, this.limits.perProcess, 'process');
    this.change(key, 1);
    this.change(org, 1);
    this.total += 1;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.change(key, -1);
      this.change(org, -1);
      this.total -= 1;
    };
  }

  private refuseAt(count: number, limit: number, scope: string): void {
    if (limit === 0 || count < limit) return;
    throw new RefusalWithHeaders('rate_limit_exceeded', { 'retry-after': RETRY_SECONDS }, { scope, open_streams: count, limit }, 'too many open streams');
  }

  private change(name: string, by: number): void {
    const count = (this.counts.get(name) ?? 0) + by;
    if (count > 0) this.counts.set(name, count);
    else this.counts.delete(name);
  }
}
