import type { Position, ReadOptions, RecordedEvent } from '@aos/kernel';
import { type StoredEvent, type StoredMeta, metaOf } from './log-body.js';
import { positionText } from './position.js';

const defaultEntriesMax = 8192;
const charactersMax = 8 * 1024 * 1024;

/**
 * What was decoded last: a reader asks for several members of one event, and the events of an append mostly share their
 * metadata.
 */
const latest: {
  data: [entry: TailEntry | null, data: RecordedEvent['data']];
  meta: [of: StoredMeta, meta: RecordedEvent['meta']];
} = { data: [null, {}], meta: [{ version: null, flags: 0, meta: '{}' }, {}] };

/** Metadata of an event: of events in a row mostly the same, which they then share. */
export function decodedMeta(stored: StoredMeta): RecordedEvent['meta'] {
  const [{ version, flags, meta }] = latest.meta;
  if (stored.meta !== meta || stored.version !== version || stored.flags !== flags)
    latest.meta = [stored, metaOf(stored)];
  return latest.meta[1];
}

/**
 * An event as it was written. Its data is decoded when it is read and not kept: most readers look at few of the events
 * that pass, and once, and what lives for a while costs more to keep than to decode again. Its metadata is kept: every
 * reader looks at the version of every event. Who asks must not change what is given.
 */
export class TailEntry implements RecordedEvent {
  constructor(
    readonly at: number,
    readonly stream: string,
    readonly revision: number,
    private readonly stored: StoredEvent,
    private knownMeta: RecordedEvent['meta'] | null = null,
  ) {}

  get id(): string {
    return this.stored.id;
  }

  get type(): string {
    return this.stored.type;
  }

  get position(): Position {
    return positionText(this.at);
  }

  get data(): RecordedEvent['data'] {
    if (latest.data[0] !== this) latest.data = [this, JSON.parse(this.stored.data) as RecordedEvent['data']];
    return latest.data[1];
  }

  get meta(): RecordedEvent['meta'] {
    return (this.knownMeta ??= decodedMeta(this.stored));
  }

  get characters(): number {
    return this.stored.data.length + this.stored.meta.length;
  }
}

/**
 * The newest events, in log order, so that live subscriptions need not read the file. What the file cannot find by its
 * stream yet is always here (rule TP5).
 */
export class LogTail {
  private readonly entries: TailEntry[] = [];
  private readonly streams = new Map<string, TailEntry[]>();
  private first = 0;
  private characters = 0;
  private indexedTo: number;

  /** Every event after `floor` is here. */
  constructor(
    private floorPosition: number,
    private readonly entriesMax = defaultEntriesMax,
  ) {
    this.indexedTo = floorPosition;
  }

  get floor(): number {
    return this.floorPosition;
  }

  push(entry: TailEntry): void {
    this.entries.push(entry);
    const ofStream = this.streams.get(entry.stream);
    if (ofStream) ofStream.push(entry);
    else this.streams.set(entry.stream, [entry]);
    this.characters += entry.characters;
    this.trim();
  }

  /** The file finds the events of each stream up to there: those may leave. */
  indexed(position: number): void {
    this.indexedTo = position;
    this.trim();
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

  /** Those of a stream that are here: from the first revision that is asked for, or with `backwards` down from it. */
  part(stream: string, { from, backwards, limit }: ReadOptions): RecordedEvent[] {
    const entries = this.streams.get(stream) ?? [];
    if (!backwards) {
      const first = entries.findIndex(({ revision }) => revision >= (from ?? 0));
      return first < 0 ? [] : entries.slice(first, first + limit);
    }
    const after = entries.findIndex(({ revision }) => revision > (from ?? Number.MAX_SAFE_INTEGER));
    const end = after < 0 ? entries.length : after;
    return entries.slice(Math.max(0, end - limit), end).reverse();
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

  private trim(): void {
    while (this.first < this.entries.length) {
      const oldest = this.entries[this.first]!;
      const isFull = this.entries.length - this.first > this.entriesMax || this.characters > charactersMax;
      if (!isFull || oldest.at > this.indexedTo) break;
      this.first += 1;
      this.characters -= oldest.characters;
      this.floorPosition = oldest.at;
      this.leave(oldest);
    }
    if (this.first > this.entriesMax) {
      this.entries.splice(0, this.first); // in place: a new array has V8 compile again what reads it
      this.first = 0;
    }
  }

  private leave(entry: TailEntry): void {
    const ofStream = this.streams.get(entry.stream);
    if (ofStream?.[0] !== entry) return;
    if (ofStream.length === 1) this.streams.delete(entry.stream);
    else ofStream.shift();
  }
}
