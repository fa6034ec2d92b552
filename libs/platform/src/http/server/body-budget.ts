import { RefusalWithHeaders } from './envelope.js';
import type { RateHolder } from './rate-limit.js';

const mib = 1024 * 1024;
const retrySeconds = '1';

/** Bytes of bodies that are being received at once (rule L21). */
export interface BodyLimits {
  readonly perKey: number;
  readonly perOrg: number;
  readonly perProcess: number;
}

const bodyLimits: BodyLimits = { perKey: 64 * mib, perOrg: 128 * mib, perProcess: 512 * mib };

/**
 * What a request with a body of so many bytes counts on the rate limit.
 *
 * Gives    one, and one more for each started MiB beyond the first.
 * Source   rule L1.
 */
export function bodyCost(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / mib));
}

/** Counts the bytes that this process is receiving, before they are read, by key, organization and process. */
export class BodyBudget {
  private readonly reserved = new Map<string, number>();
  private total = 0;

  constructor(private readonly limits: BodyLimits = bodyLimits) {}

  /** Bytes that are spoken for now. */
  get bytes(): number {
    return this.total;
  }

  /**
   * Takes bytes for a body that begins.
   *
   * Takes    who sends it, null where no credential is needed: then only the process counts.
   * Gives    what to call when it was received, or will not be; a second call does nothing.
   * Refuses  `rate_limit_exceeded` when the key or the organization has too much on its way, `service_unavailable` when
   *          all together have.
   */
  take(holder: RateHolder | null, bytes: number): () => void {
    const names = holder
      ? [`k:${holder.orgId}:${holder.apiKeyId ?? holder.principalId ?? ''}`, `o:${holder.orgId}`]
      : [];
    const [key, org] = names.map((name) => (this.reserved.get(name) ?? 0) + bytes);
    if (key !== undefined && key > this.limits.perKey) throw tooMuch('key', this.limits.perKey);
    if (org !== undefined && org > this.limits.perOrg) throw tooMuch('org', this.limits.perOrg);
    if (this.total + bytes > this.limits.perProcess) {
      throw new RefusalWithHeaders(
        'service_unavailable',
        { 'retry-after': retrySeconds },
        {},
        'too many bytes are being received, try again',
      );
    }
    this.add(names, bytes);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.add(names, -bytes);
    };
  }

  private add(names: readonly string[], bytes: number): void {
    this.total += bytes;
    for (const name of names) {
      const reserved = (this.reserved.get(name) ?? 0) + bytes;
      if (reserved === 0) this.reserved.delete(name);
      else this.reserved.set(name, reserved);
    }
  }
}

function tooMuch(scope: 'key' | 'org', limit: number): RefusalWithHeaders {
  const whose = scope === 'key' ? 'key' : 'organization';
  return new RefusalWithHeaders(
    'rate_limit_exceeded',
    { 'retry-after': retrySeconds },
    { scope, limit_bytes: limit },
    `too many bytes are being received of this ${whose}`,
  );
}
