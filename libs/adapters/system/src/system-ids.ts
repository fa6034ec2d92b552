import { base32, base32Number, Ids } from '@aos/kernel';
import { randomBytes, randomUUID } from 'node:crypto';

const timeCharacters = 10;
const randomCharacters = 16;
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const poolBytes = 4096;
const drawBytes = 10;

/**
 * Names from the system's random source. Ulids of one instance sort in the order of their making, also within a
 * millisecond and when the wall clock goes back.
 */
export class SystemIds extends Ids {
  private lastMs = -1;
  private lastRandom = '';
  private pool = Buffer.alloc(0);
  private drawn = 0;

  constructor(private readonly now: () => number = Date.now) {
    super();
  }

  override ulid(): string {
    const nowMs = this.now();
    if (nowMs > this.lastMs) {
      this.lastMs = nowMs;
      this.lastRandom = this.fresh();
    } else {
      const next = successor(this.lastRandom);
      if (next === null) this.lastMs += 1;
      this.lastRandom = next ?? this.fresh();
    }
    return base32Number(this.lastMs, timeCharacters) + this.lastRandom;
  }

  override uuid(): string {
    return randomUUID();
  }

  override randomBytes(count: number): Uint8Array {
    return randomBytes(count);
  }

  private fresh(): string {
    if (this.drawn + drawBytes > this.pool.length) {
      this.pool = randomBytes(poolBytes);
      this.drawn = 0;
    }
    this.drawn += drawBytes;
    return base32(this.pool.subarray(this.drawn - drawBytes, this.drawn), randomCharacters);
  }
}

/** The next text of the same length in the alphabet's order; null after the last. */
function successor(text: string): string | null {
  for (let index = text.length - 1; index >= 0; index -= 1) {
    const digit = alphabet.indexOf(text[index] ?? '');
    if (digit < alphabet.length - 1)
      return text.slice(0, index) + alphabet[digit + 1] + alphabet[0]!.repeat(text.length - index - 1);
  }
  return null;
}
