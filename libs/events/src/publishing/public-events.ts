import { Injectable } from '@nestjs/common';
import {
  EventStore,
  GenerationalCache,
  StoppedAt,
  StoreUnavailable,
  isKnown,
  requireKnown,
  upcastRecorded,
  type EventReference,
  type Json,
  type JsonObject,
  type OpenedEvent,
  type Publisher,
  type RecordedEvent,
  jsonSize,
} from '@aos/kernel';
import { Payloads } from '@aos/platform';
import { sourceEvents, type SourceEvent } from './envelope.wire.js';

/**
 * Openings of streams that are kept, and how long their JSON may be: they are asked for with every event of their
 * stream. Ours.
 */
const keptMax = 2000;
const keptTextMax = 8 * 1024;
/** Events whose facts are looked up at once. Ours. */
const atOnce = 32;
const nothing: SourceEvent[] = [];

/** The first events of streams in a batch, by stream: opened once for all that need them. */
class FirstEventCache {
  readonly recorded = new Map<string, RecordedEvent>();
  readonly opened = new Map<string, Promise<OpenedEvent>>();

  constructor(batch: readonly RecordedEvent[]) {
    for (const event of batch) if (event.revision === 0) this.recorded.set(event.stream, event);
  }
}

/** A recorded event cannot be published: no event is skipped, so the consumer that maps it stops for good. */
export class MappingFailed extends StoppedAt {
  override readonly name = 'MappingFailed';
}

/**
 * What of the log is published: the publishers of all contexts, and the one way from a recorded event to source events.
 *
 * Refuses  `StoreUnavailable` when a store does not answer (try again); `MappingFailed` for an event that cannot be
 *          published.
 */
@Injectable()
export class PublicEvents {
  private readonly publishers = new Map<string, Publisher>();
  /** Small first events of streams, as they were recorded: they never change. */
  private readonly kept = new GenerationalCache<RecordedEvent>(keptMax);

  constructor(
    private readonly store: EventStore,
    private readonly payloads: Payloads,
  ) {}

  /**
   * In the constructor of a module: the relay, the feed and the reactor of routines read `prefixes` when they begin,
   * after all modules are there. Two publishers of one prefix are a fault.
   */
  register(...publishers: readonly Publisher[]): void {
    for (const publisher of publishers) {
      const known = this.publishers.get(publisher.prefix);
      if (known && known !== publisher) throw new Error(`two publishers of ${publisher.prefix}`);
      this.publishers.set(publisher.prefix, publisher);
    }
  }

  /** Prefixes of the public streams. */
  get prefixes(): string[] {
    return [...this.publishers.keys()].sort();
  }

  /** The source events of a whole batch. */
  async all(batch: readonly RecordedEvent[]): Promise<SourceEvent[]> {
    const all: SourceEvent[] = [];
    for await (const { published } of this.some(batch)) for (const events of published) all.push(...events);
    return all;
  }

  /**
   * The source events of a batch in its order, for some recorded events at a time: facts are looked up for those at
   * once. Most of them tell nothing, and cost no promise.
   */
  async *some(
    batch: readonly RecordedEvent[],
  ): AsyncGenerator<{ some: readonly RecordedEvent[]; published: readonly SourceEvent[][] }> {
    const firstEvents = new FirstEventCache(batch);
    for (let from = 0; from < batch.length; from += atOnce) {
      const some = batch.slice(from, from + atOnce);
      const published = some.map(() => nothing);
      const waiting: Promise<void>[] = [];
      for (const [index, recorded] of some.entries()) {
        if (this.isInside(recorded)) continue;
        const found = this.publish(recorded, firstEvents).then((events) => {
          published[index] = events;
        });
        waiting.push(found);
      }
      await Promise.all(waiting);
      yield { some, published };
    }
    for (const [stream, recorded] of firstEvents.recorded) {
      // who needs them may still come
      if (!firstEvents.opened.has(stream) && this.publisherOf(stream)?.needs) this.keep(recorded, recorded.data);
    }
  }

  /** The source events of a recorded one, in order; none for what stays inside. */
  of(recorded: RecordedEvent): Promise<SourceEvent[]> {
    return this.publish(recorded, new FirstEventCache([recorded]));
  }

  private async publish(recorded: RecordedEvent, firstEvents: FirstEventCache): Promise<SourceEvent[]> {
    try {
      const publisher = this.publisherOf(recorded.stream);
      if (!publisher) return [];
      if (!publisher.publishes.has(recorded.type)) {
        requireKnown(publisher.events, recorded);
        return [];
      }
      const event = await (recorded.revision === 0 && publisher.needs
        ? this.firstEvent(publisher, recorded, firstEvents)
        : this.opened(publisher, recorded));
      const needed: OpenedEvent[] = [];
      for (const reference of publisher.needs?.(event) ?? [])
        needed.push(await this.fact(reference, event, firstEvents));
      return sourceEvents({ ...event, position: recorded.position }, publisher.publish(event, needed));
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      throw new MappingFailed(recorded, error);
    }
  }

  /** An event that is known and tells nothing. */
  private isInside(event: RecordedEvent): boolean {
    const publisher = this.publisherOf(event.stream);
    return publisher !== undefined && !publisher.publishes.has(event.type) && isKnown(publisher.events, event);
  }

  private publisherOf(stream: string): Publisher | undefined {
    return this.publishers.get(stream.slice(0, stream.indexOf('-') + 1));
  }

  private async fact(
    { stream, revision }: EventReference,
    asking: OpenedEvent,
    firstEvents: FirstEventCache,
  ): Promise<OpenedEvent> {
    if (stream === asking.stream && revision === asking.revision) return asking;
    const isFirst = revision === 0;
    const near = isFirst && firstEvents.opened.get(stream);
    if (near) return near;
    const known = isFirst ? (firstEvents.recorded.get(stream) ?? this.kept.get(stream)) : undefined;
    const recorded = known ?? (await this.store.read(stream, { from: revision, limit: 1 }))[0];
    if (recorded?.revision !== revision) throw new Error(`${stream}@${revision} is needed and not there`);
    const publisher = this.publisherOf(stream);
    if (!publisher) throw new Error(`${stream} has no publisher`);
    return isFirst ? this.firstEvent(publisher, recorded, firstEvents) : this.opened(publisher, recorded);
  }

  private firstEvent(
    publisher: Publisher,
    recorded: RecordedEvent,
    firstEvents: FirstEventCache,
  ): Promise<OpenedEvent> {
    const opened = this.opened(publisher, recorded).then((event) => {
      // too large for many of them at once
      if (!this.keep(recorded, event.data as Json)) firstEvents.opened.delete(recorded.stream);
      return event;
    });
    firstEvents.opened.set(recorded.stream, opened);
    return opened;
  }

  private keep(recorded: RecordedEvent, data: Json): boolean {
    const isSmall = jsonSize(data) <= keptTextMax;
    if (isSmall) this.kept.set(recorded.stream, copyOf(recorded));
    return isSmall;
  }

  private async opened(publisher: Publisher, event: RecordedEvent): Promise<OpenedEvent> {
    const { stream, revision, id, type, meta } = event;
    const lifted = upcastRecorded(publisher.events, event);
    const slim = publisher.withoutInlineBytes ? withoutInlineBytes(lifted.data as Json) : (lifted.data as Json);
    const whole = meta.blobs ? await this.payloads.hydrate(meta.org_id ?? '', slim) : slim;
    return {
      stream,
      revision,
      id,
      type,
      meta,
      data: meta.blobs && publisher.withoutInlineBytes ? withoutInlineBytes(whole) : whole,
    };
  }
}

/** The event alone: one that was read may hold all that was read with it. */
function copyOf({ stream, revision, type, position, id, data, meta }: RecordedEvent): RecordedEvent {
  return { stream, revision, type, position, id, data, meta };
}

/**
 * The value without the bytes of inline media, whether they stand there or by reference; the value itself when it holds
 * none.
 */
export function withoutInlineBytes(value: Json): Json {
  return holdsInlineBytes(value) ? withoutBytes(value) : value;
}

function holdsInlineBytes(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsInlineBytes);
  if (inlineSource(value)) return true;
  for (const member in value) if (holdsInlineBytes(value[member] ?? null)) return true;
  return false;
}

function withoutBytes(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutBytes);
  if (typeof value !== 'object' || value === null) return value;
  const source = inlineSource(value);
  if (source) {
    const { data: _bytes, ...slim } = source;
    return { ...value, source: slim };
  }
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, withoutBytes(inner)]));
}

/** Source of an image or a document that stands there with its bytes. A caller's own JSON may look alike in part. */
function inlineSource({ type, source }: JsonObject): JsonObject | null {
  if (type !== 'image' && type !== 'document') return null;
  if (typeof source !== 'object' || source === null || Array.isArray(source)) return null;
  return source.type === 'base64' && 'data' in source ? source : null;
}
