import { Ids } from '../ports/ids.js';

/** Ids that count up: the same calls always give the same names. */
export class CountingIds extends Ids {
  private count = 0;

  override ulid(): string {
    this.count += 1;
    return String(this.count).padStart(26, '0');
  }

  override uuid(): string {
    this.count += 1;
    return `00000000-0000-4000-8000-${String(this.count).padStart(12, '0')}`;
  }

  override randomBytes(count: number): Uint8Array {
    this.count += 1;
    return new Uint8Array(count).fill(this.count & 255);
  }
}
