import { GenerationalCache, type AnyEvent } from '@aos/kernel';

const streamsMax = 512;
const bytesMax = 4 * 1024 * 1024;
const eventsMax = 64;

/** An event of a stream with its revision. */
export type EventAt<E extends AnyEvent> = E & { revision: number };

interface Kept {
  events: readonly EventAt<AnyEvent>[];
  bytes: number;
}

/**
 * What this process appended last, by stream: a reader that was notified of a revision need not read it from the log.
 * Kept are up to 64 events of a stream in a row, and 4 MiB of all streams together. The row ends where another process
 * appended, or where a value was too large for the log.
 */
export class OwnEvents {
  private readonly kept = new GenerationalCache<Kept>(streamsMax, { weightMax: bytesMax, weigh: ({ bytes }) => bytes });

  /** Notes one append: its first revision, its events as the code knows them, and about their bytes. */
  note(stream: string, first: number, events: readonly AnyEvent[], bytes: number): void {
    const added = events.map((event, index) => ({ type: event.type, data: event.data, revision: first + index }));
    const { events: before = [], bytes: bytesBefore = 0 } = this.before(stream, first, added.length);
    this.kept.set(stream, { events: [...before, ...added], bytes: bytesBefore + bytes });
  }

  /** Forgets a stream, of which something was appended that is not kept. */
  drop(stream: string): void {
    this.kept.delete(stream);
  }

  /** The events from one revision to another, both included; null when not all of them are kept. */
  between(stream: string, from: number, to: number): readonly EventAt<AnyEvent>[] | null {
    const row = this.kept.get(stream)?.events;
    const first = row?.[0]?.revision;
    if (!row || first === undefined || from < first || to >= first + row.length) return null;
    return row.slice(from - first, to - first + 1);
  }

  /** What is kept right before a revision, if so many more have room behind it. */
  private before(stream: string, first: number, more: number): Partial<Kept> {
    const kept = this.kept.get(stream);
    const isNext = kept?.events.at(-1)?.revision === first - 1;
    return kept && isNext && kept.events.length + more <= eventsMax ? kept : {};
  }
}
