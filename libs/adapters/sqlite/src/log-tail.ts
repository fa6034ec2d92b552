import type { ReadOptions, RecordedEvent } from '@aos/kernel';
import { positionText } from './position.js';

const ENTRIES_MAX = 8192;
const CHARACTERS_MAX = 8 * 1024 * 1024;
const DECODED_MAX = 384; // of the newest: readers that wait for a transaction of the views are this far behind

/** The events of one append as they were written, four cells each; they mostly share their metadata. */
export class AppendedCells {
  /** The metadata that was asked for last, and its text. */
  private known: { text: string; meta: RecordedEvent['meta'] } | null = null;

  constructor(private readonly cells: readonly string[]) {}

  get count(): number {
    return this.cells.length / 4;
  }

  id(at: number): string {
    return this.cells[at * 4]!;
  }

  type(at: number): string {
    return this.cells[at * 4 + 1]!;
  }

  data(at: number): RecordedEvent['data'] {
    return JSON.parse(this.cells[at * 4 + 2]!) as RecordedEvent['data'];
  }

  meta(at: number): RecordedEvent['meta'] {
    const text = this.cells[at * 4 + 3]!;
    if (text !== this.known?.text) this.known = { text, meta: JSON.parse(text) as RecordedEvent['meta'] };
    return this.known.meta;
  }

  release(): void {
    this.known = null;
  }

  characters(at: number): number {
    return this.cells[at * 4 + 2]!.length + this.cells[at * 4 + 3]!.length;
  }
}

/** An event as it was written; decoded when the first reader asks, and for as long as it is one of the newest. */
export class TailEntry {
  private decoded: RecordedEvent | null = null;
  private isReleased = false;

  constructor(
    readonly position: number,
    readonly stream: string,
    readonly revision: number,
    private readonly cells: AppendedCells,
    /** Which of the append's events it is. */
    private readonly at: number,
  ) {}

  get characters(): number {
    return this.cells.characters(this.at);
  }

  /** One object for all readers: they must not change it. */
  get event(): RecordedEvent {
    if (this.decoded) return this.decoded;
    const event: RecordedEvent = {
      stream: this.stream,
      revision: this.revision,
      position: positionText(this.position),
      id: this.cells.id(this.at),
      type: this.cells.type(this.at),
      data: this.cells.data(this.at),
      meta: this.cells.meta(this.at),
    };
    if (!this.isReleased) this.decoded = event;
    return event;
  }

  /** Whoever asks from now on has it decoded again: most have read it by then, and what lives long is costly to keep. */
  release(): void {
    this.isReleased = true;
    this.decoded = null;
    this.cells.release();
  }
}

/** The newest events, in log order, so that live subscriptions need not read the file. */
export class LogTail {
  private entries: TailEntry[] = [];
  private readonly streams = new Map<string, TailEntry[]>();
  private first = 0;
  private characters = 0;

  /** Every event after `floor` is here. */
  constructor(private floorPosition: number, private readonly entriesMax = ENTRIES_MAX) {}

  get floor(): number {
    return this.floorPosition;
  }

  push(entry: TailEntry): void {
    this.entries.push(entry);
    const ofStream = this.streams.get(entry.stream);
    if (ofStream) ofStream.push(entry);
    else this.streams.set(entry.stream, [entry]);
    this.characters += entry.characters;
    this.entries[this.entries.length - 1 - DECODED_MAX]?.release();
    while (this.entries.length - this.first > this.entriesMax || (this.characters > CHARACTERS_MAX && this.first < this.entries.length)) {
      const oldest = this.entries[this.first]!;
      this.first += 1;
      this.characters -= oldest.characters;
      this.floorPosition = oldest.position;
      this.leave(oldest);
    }
    if (this.first > this.entriesMax) {
      this.entries = this.entries.slice(this.first);
      this.first = 0;
    }
  }

  /** A read of a stream whose asked part lies here whole; null when the file must be asked. */
  read(stream: string, { from, backwards, limit }: ReadOptions): RecordedEvent[] | null {
    const entries = this.streams.get(stream);
    const first = entries?.[0]?.revision;
    if (!entries || first === undefined) return null;
    const at = Math.min((from ?? (backwards ? Number.MAX_SAFE_INTEGER : 0)) - first, entries.length - (backwards ? 1 : 0));
    if (backwards ? at + 1 < Math.min(limit, at + 1 + first) : at < 0) return null;
    return (backwards ? entries.slice(Math.max(0, at + 1 - limit), at + 1).reverse() : entries.slice(at, at + limit)).map(({ event }) => event);
  }

  /** The newest revision of a stream; null when the file must be asked. */
  head(stream: string): number | null {
    return this.streams.get(stream)?.at(-1)?.revision ?? null;
  }

  /** The stream lost its beginning: what is left of it is read from the file. */
  forget(stream: string): void {
    this.streams.delete(stream);
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

  private leave(entry: TailEntry): void {
    const ofStream = this.streams.get(entry.stream);
    if (ofStream?.[0] !== entry) return;
    if (ofStream.length === 1) this.streams.delete(entry.stream);
    else ofStream.shift();
  }
}
