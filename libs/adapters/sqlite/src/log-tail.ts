import type { RecordedEvent } from '@aos/kernel';
import { positionText } from './position.js';

const ENTRIES_MAX = 8192;
const CHARACTERS_MAX = 8 * 1024 * 1024;

/** An event as it was written; decoded once, when the first reader asks. */
export class TailEntry {
  private decoded: RecordedEvent | null = null;

  constructor(
    readonly position: number,
    readonly stream: string,
    private readonly revision: number,
    private readonly cells: readonly string[],
    private readonly at: number,
  ) {}

  get characters(): number {
    return this.cells[this.at + 2]!.length + this.cells[this.at + 3]!.length;
  }

  /** One object for all readers: they must not change it. */
  get event(): RecordedEvent {
    this.decoded ??= {
      stream: this.stream,
      revision: this.revision,
      position: positionText(this.position),
      id: this.cells[this.at]!,
      type: this.cells[this.at + 1]!,
      data: JSON.parse(this.cells[this.at + 2]!) as RecordedEvent['data'],
      meta: JSON.parse(this.cells[this.at + 3]!) as RecordedEvent['meta'],
    };
    return this.decoded;
  }
}

/** The newest events, in log order, so that live subscriptions need not read the file. */
export class LogTail {
  private entries: TailEntry[] = [];
  private first = 0;
  private characters = 0;

  /** Every event after `floor` is here. */
  constructor(private floorPosition: number) {}

  get floor(): number {
    return this.floorPosition;
  }

  push(entry: TailEntry): void {
    this.entries.push(entry);
    this.characters += entry.characters;
    while (this.entries.length - this.first > ENTRIES_MAX || (this.characters > CHARACTERS_MAX && this.first < this.entries.length)) {
      const oldest = this.entries[this.first]!;
      this.first += 1;
      this.characters -= oldest.characters;
      this.floorPosition = oldest.position;
    }
    if (this.first > ENTRIES_MAX) {
      this.entries = this.entries.slice(this.first);
      this.first = 0;
    }
  }

  /** Entries after a position that is not below the floor, oldest first, at most `max`. */
  after(position: number, max: number): TailEntry[] {
    let low = this.first;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.entries[middle]!.position <= position) low = middle + 1;
      else high = middle;
    }
    return this.entries.slice(low, low + max);
  }
}
