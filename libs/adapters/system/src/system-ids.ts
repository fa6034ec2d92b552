import { base32, base32Number, Ids } from '@aos/kernel';
import { randomBytes, randomUUID } from 'node:crypto';

const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const POOL_BYTES = 4096;
const DRAW_BYTES = 10;

/** Names from the system's random source. Ulids of one instance sort in the order of their making, also within a millisecond and when the wall clock goes back. */
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
    return base32Number(this.lastMs, TIME_CHARACTERS) + this.lastRandom;
  }

  override uuid(): string {
    return randomUUID();
  }

  override randomBytes(count: number): Uint8Array {
    return randomBytes(count);
  }

  private fresh(): string {
    if (this.drawn + DRAW_BYTES > this.pool.length) {
      this.pool = randomBytes(POOL_BYTES);
      this.drawn = 0;
    }
    this.drawn += DRAW_BYTES;
    return base32(this.pool.subarray(this.drawn - DRAW_BYTES, this.drawn), RANDOM_CHARACTERS);
  }
}

/** The next text of the same length in the alphabet's order; null after the last. */
function successor(text: string): string | null {
  for (let index = text.length - 1; index >= 0; index -= 1) {
    const digit = ALPHABET.indexOf(text[index] ?? '');
    if (digit < ALPHABET.length - 1)
      return text.slice(0, index) + ALPHABET[digit + 1] + ALPHABET[0]!.repeat(text.length - index - 1);
  }
  return null;
}
