import type { Identity } from '@aos/kernel';
import { RefusalWithHeaders } from '../server/envelope.js';

export interface StreamLimits {
  readonly perKey: number;
  readonly perOrg: number;
  readonly perProcess: number;
}

const retrySeconds = '5';

type Holder = Pick<Identity, 'orgId' | 'principalId' | 'apiKeyId'>;

/** Gives slots for open streams: at once, or after asking what all gateways share. */
export interface StreamSlotSource {
  /** Gives the function that returns the slot. Refuses `rate_limit_exceeded`. */
  take(holder: Holder): (() => void) | Promise<() => void>;
}

/** The refusal of a stream beyond a cap. */
export function tooManyStreams(scope: 'key' | 'org' | 'process', count: number, limit: number): RefusalWithHeaders {
  return new RefusalWithHeaders(
    'rate_limit_exceeded',
    { 'retry-after': retrySeconds },
    { scope, open_streams: count, limit },
    'too many open streams',
  );
}

/** A slot for a stream that is about to open: what is to be refused is refused before its cause is written. */
export class ReservedSlot {
  private isHeld = true;

  constructor(private readonly release: () => void) {}

  /** Hands the slot over to a stream; gives the function that returns it. */
  handOver(): () => void {
    this.isHeld = false;
    return this.release;
  }

  /** Returns the slot, unless a stream has it. */
  leave(): void {
    if (this.isHeld) this.release();
  }
}

interface Count {
  readonly name: string;
  open: number;
}

/** Counts this process' open streams per key, organization and process; 0 is no limit (rule L16). */
export class StreamSlots implements StreamSlotSource {
  private readonly counts = new Map<string, Count>();
  private total = 0;

  constructor(private readonly limits: StreamLimits) {}

  get open(): number {
    return this.total;
  }

  /** Gives the function that returns the slot. Refuses `rate_limit_exceeded`. */
  take(identity: Holder): () => void {
    const key = `k:${identity.orgId}:${identity.apiKeyId ?? identity.principalId}`;
    const org = `o:${identity.orgId}`;
    this.refuseAt(this.counts.get(key)?.open ?? 0, this.limits.perKey, 'key');
    this.refuseAt(this.counts.get(org)?.open ?? 0, this.limits.perOrg, 'org');
    this.refuseAt(this.total, this.limits.perProcess, 'process');
    return this.taken(this.counted(key), this.counted(org));
  }

  /** Of its own, so that what is given keeps the two counts only. */
  private taken(key: Count, org: Count): () => void {
    this.total += 1;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.leave(key);
      this.leave(org);
      this.total -= 1;
    };
  }

  private refuseAt(count: number, limit: number, scope: 'key' | 'org' | 'process'): void {
    if (limit !== 0 && count >= limit) throw tooManyStreams(scope, count, limit);
  }

  private counted(name: string): Count {
    let count = this.counts.get(name);
    if (!count) {
      count = { name, open: 0 };
      this.counts.set(name, count);
    }
    count.open += 1;
    return count;
  }

  private leave(count: Count): void {
    count.open -= 1;
    if (count.open === 0) this.counts.delete(count.name);
  }
}
