import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@aos/kernel';

/** 128 bits, as 22 characters. */
const codeBytes = 16;
const openMs = 5 * 60_000;

/** A key as the console gets it. */
export interface FirstKeyIssued {
  key: string;
  expires_at: string;
}

interface Open {
  digest: Uint8Array;
  until: number;
  issue: () => Promise<FirstKeyIssued>;
}

/**
 * The link of the first start (rule CO4): a code that is printed once and exchanged once for a key of the console's
 * own. It lives in this process' memory for five minutes.
 */
export class FirstKey {
  private open: Open | null = null;
  private fragment = '';

  constructor(private readonly clock: Clock) {}

  /** Takes what issues the key. From now on the code is good for five minutes. */
  offer(issue: () => Promise<FirstKeyIssued>): void {
    const code = randomBytes(codeBytes).toString('base64url');
    this.fragment = `#code=${code}`;
    this.open = { digest: digest(code), until: this.clock.monotonic() + openMs, issue };
  }

  /** What the printed link ends with; nothing where there is no code, or it was given out. */
  takeFragment(): string {
    const { fragment } = this;
    this.fragment = '';
    return fragment;
  }

  get isOpen(): boolean {
    if (this.open && this.clock.monotonic() >= this.open.until) this.open = null;
    return this.open !== null;
  }

  /**
   * Gives the key for the code, once; null for a code that is wrong, used or late. A code whose key could not be issued
   * is good again.
   */
  async exchange(code: string): Promise<FirstKeyIssued | null> {
    const { open } = this;
    if (!this.isOpen || !open || !timingSafeEqual(open.digest, digest(code))) return null;
    this.open = null; // before anything is waited for: of two at once one finds it
    try {
      return await open.issue();
    } catch (error) {
      this.open = open;
      throw error;
    }
  }
}

function digest(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}
