import {
  appendBytesMax,
  type Appended,
  type Clock,
  eventBytesMax,
  EventStore,
  type EventSubscription,
  EventTooLarge,
  type ExpectedRevision,
  type NewEvent,
  type Position,
  type ReadOptions,
  type RecordedEvent,
  RevisionConflict,
  StoreUnavailable,
  type SubscribeOptions,
} from '@aos/kernel';
import { MemorySubscription } from './memory-subscription.js';

const digits = 20;

/** Where a test may break an append. What a hook throws is what the caller gets. */
export interface AppendFaults {
  /** Runs before anything is written: throwing here loses the append. */
  beforeAppend?: (stream: string, expected: ExpectedRevision, events: readonly NewEvent[]) => void | Promise<void>;
  /** Runs after it is written: throwing here hides the outcome. */
  afterAppend?: (stream: string, appended: Appended) => void | Promise<void>;
}

export interface MemoryEventStoreOptions {
  clock: Clock;
  faults?: AppendFaults;
  /** What the store claims; default true. */
  soleWriter?: boolean;
}

interface Stored {
  event: Omit<RecordedEvent, 'data' | 'meta'>;
  /** Data and meta as text: what a reader does with its copy stays its own. */
  content: string;
}

/** A log that lives as long as the object, for unit tests and simulations. */
export class MemoryEventStore extends EventStore {
  override readonly soleWriter: boolean;
  /** May be set and unset while it runs. */
  faults: AppendFaults;
  private readonly log: Stored[] = [];
  private readonly streams = new Map<string, Stored[]>();
  private readonly truncated = new Map<string, number>();
  private readonly subscriptions = new Set<MemorySubscription>();
  private readonly clock: Clock;
  private closed = false;

  constructor({ clock, faults = {}, soleWriter = true }: MemoryEventStoreOptions) {
    super();
    this.clock = clock;
    this.faults = faults;
    this.soleWriter = soleWriter;
  }

  override async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    if (this.closed) throw new StoreUnavailable('the log is closed');
    if (events.length === 0) throw new Error(`an append to ${stream} without events`);
    const contents = contentsOf(stream, events);
    await this.faults.beforeAppend?.(stream, expected, events);
    const appended = this.write(stream, expected, events, contents);
    await this.faults.afterAppend?.(stream, appended);
    return appended;
  }

  override async read(stream: string, { from, backwards, limit }: ReadOptions): Promise<RecordedEvent[]> {
    const kept = (this.streams.get(stream) ?? []).filter(
      ({ event }) => event.revision >= (this.truncated.get(stream) ?? 0),
    );
    const asked = backwards
      ? kept.filter(({ event }) => event.revision <= (from ?? Infinity)).reverse()
      : kept.filter(({ event }) => event.revision >= (from ?? 0));
    return asked.slice(0, limit).map(recorded);
  }

  override async heads(streams: readonly string[]): Promise<(number | 'none')[]> {
    return streams.map((stream) => this.head(stream));
  }

  override subscribe(
    options: SubscribeOptions,
    handler: (events: RecordedEvent[]) => Promise<void>,
  ): EventSubscription {
    const from = options.from === 'start' ? 0 : options.from === 'end' ? this.log.length : Number(options.from);
    const read = (position: number, limit: number) => this.after(position, options.prefixes, limit);
    const subscription = new MemorySubscription({
      read,
      clock: this.clock,
      from,
      options,
      handler,
      onEnd: (ended) => {
        this.subscriptions.delete(ended);
      },
    });
    this.subscriptions.add(subscription);
    return subscription;
  }

  override async end(): Promise<Position> {
    return this.log.at(-1)?.event.position ?? '';
  }

  override async truncate(stream: string, before: number): Promise<void> {
    const head = this.head(stream);
    if (head !== 'none') this.truncated.set(stream, Math.min(before, head));
  }

  override async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.subscriptions].map((subscription) => subscription.close()));
  }

  private head(stream: string): number | 'none' {
    return this.streams.get(stream)?.at(-1)?.event.revision ?? 'none';
  }

  private write(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
    contents: readonly string[],
  ): Appended {
    const present = this.streams.get(stream) ?? [];
    const first = expected === 'none' ? 0 : expected + 1;
    if (first !== present.length)
      return this.repeated(stream, expected, present.slice(first, first + events.length), events);
    if (events.some(({ id }) => present.some(({ event }) => event.id === id)))
      throw new RevisionConflict(stream, expected, this.head(stream));
    const stored = events.map(({ id, type }, n): Stored => ({
      event: { id, type, stream, revision: first + n, position: String(this.log.length + n + 1).padStart(digits, '0') },
      content: contents[n]!,
    }));
    this.log.push(...stored);
    present.push(...stored);
    this.streams.set(stream, present);
    for (const subscription of this.subscriptions) subscription.notify();
    return appendedOf(stored);
  }

  private repeated(
    stream: string,
    expected: ExpectedRevision,
    earlier: readonly Stored[],
    events: readonly NewEvent[],
  ): Appended {
    const same =
      earlier.length === events.length &&
      earlier.every(
        ({ event }, n) => event.id === events[n]!.id && event.revision >= (this.truncated.get(stream) ?? 0),
      );
    if (!same) throw new RevisionConflict(stream, expected, this.head(stream));
    return appendedOf(earlier);
  }

  private after(
    position: number,
    prefixes: readonly string[],
    limit: number,
  ): { events: RecordedEvent[]; upTo: number } {
    const events: RecordedEvent[] = [];
    for (let at = position; at < this.log.length; at += 1) {
      const stored = this.log[at]!;
      const { stream, revision } = stored.event;
      if (revision < (this.truncated.get(stream) ?? 0) || !prefixes.some((prefix) => stream.startsWith(prefix)))
        continue;
      if (events.push(recorded(stored)) >= limit) return { events, upTo: at + 1 };
    }
    return { events, upTo: this.log.length };
  }
}

function contentsOf(stream: string, events: readonly NewEvent[]): string[] {
  let bytes = 0;
  const contents = events.map(({ data, meta }) => {
    const content = JSON.stringify({ data, meta });
    const size = Buffer.byteLength(content);
    if (size > eventBytesMax) throw new EventTooLarge(stream, size);
    bytes += size;
    return content;
  });
  if (bytes > appendBytesMax) throw new EventTooLarge(stream, bytes);
  return contents;
}

function appendedOf(stored: readonly Stored[]): Appended {
  const last = stored.at(-1)!.event;
  return { revision: last.revision, position: last.position };
}

function recorded({ event, content }: Stored): RecordedEvent {
  return { ...event, ...(JSON.parse(content) as Pick<RecordedEvent, 'data' | 'meta'>) };
}
