import type { Position, ReadOptions, RecordedEvent } from '@aos/kernel';
import { positionText } from './position.js';

const defaultEntriesMax = 8192;
const charactersMax = 8 * 1024 * 1024;

/**
 * What was decoded last: a reader asks for several members of one event, and the events of an append mostly share their
 * metadata.
 */
const latest: {
  data: [entry: TailEntry | null, data: RecordedEvent['data']];
  meta: [text: string, meta: RecordedEvent['meta']];
} = { data: [null, {}], meta: ['{}', {}] };

/**
 * An event as it was written, decoded when it is read and not kept: most readers look at few of the events that
 * pass, and once, and what lives for a while costs more to keep than to decode again. Who asks must not change what is
 * given.
 */
export class TailEntry implements RecordedEvent {
  constructor(
    readonly at: number,
    readonly stream: string,
    readonly revision: number,
    readonly id: string,
    readonly type: string,
    private readonly dataText: string,
    private readonly metaText: string,
  ) {}

  get position(): Position {
    return positionText(this.at);
  }

  get data(): RecordedEvent['data'] {
    if (latest.data[0] !== this) latest.data = [this, JSON.parse(this.dataText) as RecordedEvent['data']];
    return latest.data[1];
  }

  get meta(): RecordedEvent['meta'] {
    if (latest.meta[0] !== this.metaText)
      latest.meta = [this.metaText, JSON.parse(this.metaText) as RecordedEvent['meta']];
    return latest.meta[1];
  }

  get characters(): number {
    return this.dataText.length + this.metaText.length;
  }
}

/** The newest events, in log order, so that live subscriptions need not read the file. */
export class LogTail {
  private entries: TailEntry[] = [];
  private readonly streams = new Map<string, TailEntry[]>();
  private first = 0;
  private characters = 0;

  /** Every event after `floor` is here. */
  constructor(
    private floorPosition: number,
    private readonly entriesMax = defaultEntriesMax,
  ) {}

  get floor(): number {
    return this.floorPosition;
  }

  push(entry: TailEntry): void {
    this.entries.push(entry);
    const ofStream = this.streams.get(entry.stream);
    if (ofStream) ofStream.push(entry);
    else this.streams.set(entry.stream, [entry]);
    this.characters += entry.characters;
    while (
      this.entries.length - this.first > this.entriesMax ||
      (this.characters > charactersMax && this.first < this.entries.length)
    ) {
      const oldest = this.entries[this.first]!;
      this.first += 1;
      this.characters -= oldest.characters;
      this.floorPosition = oldest.at;
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
    const at = Math.min(
      (from ?? (backwards ? Number.MAX_SAFE_INTEGER : 0)) - first,
      entries.length - (backwards ? 1 : 0),
    );
    if (backwards ? at + 1 < Math.min(limit, at + 1 + first) : at < 0) return null;
    return backwards ? entries.slice(Math.max(0, at + 1 - limit), at + 1).reverse() : entries.slice(at, at + limit);
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
      if (this.entries[middle]!.at <= position) low = middle + 1;
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
