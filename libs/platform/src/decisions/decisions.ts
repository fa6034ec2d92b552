import { Injectable } from '@nestjs/common';
import {
  Clock,
  EventStore,
  Ids,
  LiveBus,
  GenerationalCache,
  Refusal,
  RevisionConflict,
  Snapshots,
  StoreUnavailable,
  asPreviousReads,
  rfc3339,
  upcastRecorded,
  type AnyEvent,
  type DeciderEntry,
  type Json,
  type JsonObject,
  type NewEvent,
  type Position,
  type RecordedEvent,
  type StreamKind,
  type Writes,
  jsonSize,
} from '@aos/kernel';
import { sharedMetas, type Actor } from './actor.js';
import { foldPage, type Folded } from './folded.js';
import { FoldedSnapshots } from './folded-snapshots.js';
import { scanned, type Opened, type Scanned } from './opened.js';
import { Payloads } from './payloads.js';
import { KnownStream } from './known-stream.js';
import { OwnEvents, type EventAt } from './own-events.js';
import { appendFailpoint } from '../failpoints.js';
import { WriterProjections } from './writer-projections.js';

const readPage = 512;
/** Streams shorter than this are folded from their start, without asking for a snapshot. */
const shortStreamEvents = 32;
const redecideMax = 100;
/**
 * Conflicts in a row that are met at once; from then on each is followed by a pause, a millisecond longer each time.
 */
const promptRedecides = 8;
const conflictPauseMsMax = 25;
const cachedStreamsMax = 4000;

export interface Decided<S, E> {
  /** The state after the decision. */
  state: S;
  /** Revision of the stream after the decision; -1 when it has no events. */
  revision: number;
  /** What was written now; empty when there was nothing to write. */
  events: readonly E[];
  /** Position of the last event written now. */
  position: Position | null;
}

export interface Loaded<S> {
  state: S;
  revision: number;
}

export interface DecideOptions<E extends AnyEvent = AnyEvent> {
  /** Actor of an event that is not the command's own; the actor of the command when absent. */
  actorFor?: (event: E) => Actor;
  /** Event ids that a repeat must give again; random when absent. */
  eventId?: (index: number) => string;
  /**
   * The stream's id was made just now: it is taken to be empty without a look. The append at `none` finds out if it is
   * not.
   */
  isNew?: boolean;
}

type AnyKind = StreamKind<unknown, AnyEvent>;

/** Counts what is written here; told after the append, and cannot fail it. */
export interface WriteObserver {
  recorded(category: string, events: readonly AnyEvent[], orgId: string): void;
  /** An append met another one. */
  conflicted(category: string): void;
}

/**
 * The only write path: read (cached state + tail), fold, decide, append at exactly the folded revision; on a conflict
 * read the tail and decide again, at most 100 times. Writers of one stream in this process take turns; where other
 * processes write it too, the one with the shorter way can be ahead each time until its queue is empty, so the others
 * are patient: about two seconds, then the caller is told to try again.
 */
@Injectable()
export class Decisions {
  private readonly streams = new GenerationalCache<KnownStream>(cachedStreamsMax, null, ({ isInUse }) => isInUse);
  private readonly own = new OwnEvents();
  private readonly folded: FoldedSnapshots;
  private readonly observers: WriteObserver[] = [];
  private writes: Writes = 'current';
  private readonly recognize = (value: unknown) => {
    this.payloads.recognize(value);
  };

  constructor(
    private readonly store: EventStore,
    snapshots: Snapshots,
    private readonly payloads: Payloads,
    private readonly bus: LiveBus,
    private readonly projections: WriterProjections,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {
    this.folded = new FoldedSnapshots(snapshots);
  }

  /**
   * Decides one command on one stream.
   *
   * Takes    an entry of the stream's decider, the stream's id, who acts, and the command.
   * Gives    the state after, and what was written.
   * Refuses  what the decide function refuses, judged on the stream's true end; `StoreUnavailable` when the log cannot
   *          answer or too many wait; `upgrade_pending` for what the release before must read and cannot (`writeAs`).
   */
  decide<S, E extends AnyEvent, C>(
    { kind, decide }: DeciderEntry<S, E, C>,
    id: string,
    actor: Actor,
    command: C,
    options: DecideOptions<E> = {},
  ): Promise<Decided<S, E>> {
    return this.run(kind, id, actor, (state, revision) => decide(command, state, revision), options);
  }

  /**
   * Decides by a function that closes over its command.
   *
   * Takes    the kind of stream, its id, who acts, and a pure function from the state to events.
   * Gives    the state after, and what was written.
   * Refuses  what `decide` refuses, judged on the stream's true end; `StoreUnavailable` when the log cannot answer or
   *          too many wait.
   */
  run<S, E extends AnyEvent>(
    kind: StreamKind<S, E>,
    id: string,
    actor: Actor,
    decide: (state: S, revision: number) => readonly E[],
    options: DecideOptions<E> = {},
  ): Promise<Decided<S, E>> {
    const stream = this.known(kind, id);
    return stream.alone(() => this.decideAlone(kind, stream, actor, decide, options));
  }

  /**
   * The state at the stream's true end, and its revision. Both are taken from what is given at once: it moves on with
   * the stream. With `atLeast` a known state of that revision or a later one serves: the stream is not read for it.
   */
  async load<S, E extends AnyEvent>(kind: StreamKind<S, E>, id: string, atLeast = Infinity): Promise<Loaded<S>> {
    const stream = this.known(kind, id);
    const { folded } = stream;
    if (folded && (this.store.soleWriter || folded.revision >= atLeast)) return folded as Folded<S>;
    const load = () => this.refresh(kind, stream, stream.folded as Folded<S> | null);
    return stream.shared(load) as Promise<Folded<S>>;
  }

  /**
   * Events of a stream in order, lifted to the current version and with large values put back.
   * `bytesMax`: ends early, after the event that went over it; only no events at all are the stream's end then.
   */
  async read<E extends AnyEvent>(
    kind: StreamKind<unknown, E> | StreamKind<never, E>,
    id: string,
    { bytesMax, ...options }: { from?: number; backwards?: boolean; limit: number; bytesMax?: number },
  ): Promise<Opened<E>[]> {
    const recorded = await this.store.read(`${kind.category}-${id}`, options);
    if (bytesMax === undefined) return Promise.all(recorded.map(async (event) => this.open<E>(kind as AnyKind, event)));
    const opened: Opened<E>[] = [];
    let bytes = 0;
    for (const event of recorded) {
      const one = await this.open<E>(kind as AnyKind, event);
      opened.push(one);
      bytes += jsonSize(one.data as Json);
      if (bytes > bytesMax) break;
    }
    return opened;
  }

  /**
   * A range of a stream for a reader of few event types: events of others are not decoded where the store allows it.
   *
   * Takes    the range, and the types.
   * Gives    the events of these types in order; the revision of the last event of the range, null where there is none.
   */
  async scan<E extends AnyEvent>(
    kind: StreamKind<unknown, E> | StreamKind<never, E>,
    id: string,
    { types, ...range }: { from: number; limit: number; types: ReadonlySet<string> },
  ): Promise<{ events: Scanned<E>[]; last: number | null }> {
    const recorded = await this.store.read(`${kind.category}-${id}`, range);
    return { events: scanned(kind, recorded, types), last: recorded.at(-1)?.revision ?? null };
  }

  /**
   * Events that this process appended, from one revision to another, without a look at the log: what is given was
   * acknowledged by it. Null when not all of them are kept; only kinds that notify keep some.
   */
  ownEvents<E extends AnyEvent>(
    kind: StreamKind<unknown, E> | StreamKind<never, E>,
    id: string,
    { from, to }: { from: number; to: number },
  ): readonly EventAt<E>[] | null {
    return this.own.between(`${kind.category}-${id}`, from, to) as readonly EventAt<E>[] | null;
  }

  /** One recorded event as the code knows it today, large values put back. */
  async open<E extends AnyEvent>(kind: { events: AnyKind['events'] }, event: RecordedEvent): Promise<Opened<E>> {
    const lifted = upcastRecorded(kind.events, event);
    const data = event.meta.blobs ? await this.payloads.hydrate(event.meta.org_id ?? '', lifted.data) : lifted.data;
    return {
      type: lifted.type,
      data,
      revision: event.revision,
      position: event.position,
      id: event.id,
      meta: event.meta,
    } as Opened<E>;
  }

  /** A part of a state with its large values put back; the same when it holds none. */
  whole<T>(orgId: string, part: T): Promise<T> {
    return this.payloads.hydrate(orgId, part);
  }

  /** Which release must be able to read what is written from now on. */
  writeAs(writes: Writes): void {
    this.writes = writes;
  }

  observe(observer: WriteObserver): void {
    this.observers.push(observer);
  }

  /** Forgets what this process knows of a stream: the next use folds it again. */
  forget(kind: { category: string }, id: string): void {
    this.known(kind, id).folded = null;
  }

  private known({ category }: { category: string }, id: string): KnownStream {
    const name = `${category}-${id}`;
    let stream = this.streams.get(name);
    if (!stream) this.streams.set(name, (stream = new KnownStream(name)));
    return stream;
  }

  private async decideAlone<S, E extends AnyEvent>(
    kind: StreamKind<S, E>,
    stream: KnownStream,
    actor: Actor,
    decide: (state: S, revision: number) => readonly E[],
    options: DecideOptions<E>,
  ): Promise<Decided<S, E>> {
    let folded = stream.folded as Folded<S> | null;
    let fresh = folded !== null && this.store.soleWriter;
    if (!folded && options.isNew) folded = { state: kind.initial(), revision: -1, snapshotRevision: -1 };
    if (!folded) {
      folded = await this.refresh(kind, stream, null);
      fresh = true;
    }
    for (let attempt = 0; attempt <= redecideMax; attempt += 1) {
      const events = this.tryDecide(decide, folded, fresh);
      if (events && events.length > 0) {
        try {
          return await this.append(kind, stream, actor, folded, events, options);
        } catch (error) {
          if (!(error instanceof RevisionConflict)) {
            stream.folded = null;
            throw error;
          }
          for (const observer of this.observers) observer.conflicted(kind.category);
          if (attempt >= promptRedecides)
            await this.clock.sleep(Math.min(attempt - promptRedecides + 1, conflictPauseMsMax));
        }
      } else if (events && fresh) {
        return { state: folded.state, revision: folded.revision, events: [], position: null };
      }
      folded = await this.refresh(kind, stream, folded);
      fresh = true;
    }
    throw new StoreUnavailable(`${stream.name}: conflict after conflict`);
  }

  /** Null when the answer rests on a state that may be stale and must be judged again. */
  private tryDecide<S, E>(
    decide: (state: S, revision: number) => readonly E[],
    folded: Folded<S>,
    fresh: boolean,
  ): readonly E[] | null {
    try {
      return decide(folded.state, folded.revision);
    } catch (error) {
      if (error instanceof Refusal && !fresh) return null;
      throw error;
    }
  }

  private async append<S, E extends AnyEvent>(
    kind: StreamKind<S, E>,
    stream: KnownStream,
    actor: Actor,
    folded: Folded<S>,
    decided: readonly E[],
    options: DecideOptions<E>,
  ): Promise<Decided<S, E>> {
    const events = this.writes === 'previous' ? asPreviousReads(kind, decided) : decided;
    const recordedAt = rfc3339(this.clock.now());
    const { stored, bytes } = await this.payloads.spill(
      actor.orgId,
      events.map(({ data }) => data as JsonObject),
      events.map(({ type }) => kind.events[type]?.records),
      this.writes,
    );
    const metas = sharedMetas(recordedAt);
    const written: NewEvent[] = events.map((event, index) => {
      const declaration = kind.events[event.type];
      if (!declaration) throw new Error(`${event.type} is not declared on ${kind.category}`);
      const meta = metas(options.actorFor?.(event) ?? actor, declaration.version);
      return {
        id: options.eventId?.(index) ?? this.ids.uuid(),
        type: event.type,
        data: stored[index] as JsonObject,
        meta: stored[index] === event.data ? meta : { ...meta, blobs: '1' },
      };
    });
    const expected = folded.revision < 0 ? 'none' : folded.revision;
    appendFailpoint('before', written);
    const { revision, position } = await this.store.append(stream.name, expected, written);
    appendFailpoint('after', written);
    for (const [index, event] of written.entries()) {
      folded.state = kind.evolve(
        folded.state,
        { type: event.type, data: event.data } as E,
        folded.revision + 1 + index,
      );
    }
    folded.revision = revision;
    const { state } = folded;
    stream.folded = folded;
    for (const observer of this.observers) observer.recorded(kind.category, events, actor.orgId);
    this.folded.keepIfDue(kind, stream.name, folded);
    if (kind.notifies) {
      const isKept = stored.every((data, index) => data === events[index]?.data);
      if (isKept) this.own.note(stream.name, revision - events.length + 1, events, bytes);
      else this.own.drop(stream.name);
      this.bus.publish(stream.notifications, revision);
    }
    await this.projections.apply(kind, stream.name, state, revision, events as readonly AnyEvent[], actor.orgId);
    return { state, revision, events, position };
  }

  /** Brings a folded state to the stream's end; without one, starts from the newest snapshot. */
  private async refresh<S, E extends AnyEvent>(
    kind: StreamKind<S, E>,
    stream: KnownStream,
    known: Folded<S> | null,
  ): Promise<Folded<S>> {
    const { folded, isWhole } = known ? { folded: known, isWhole: false } : await this.begin(kind, stream.name);
    for (let whole = isWhole; !whole;) {
      const page = await this.store.read(stream.name, { from: folded.revision + 1, limit: readPage });
      foldPage(kind, folded, page, this.recognize);
      whole = page.length < readPage;
    }
    stream.folded = folded;
    this.folded.keepIfDue(kind, stream.name, folded);
    return folded;
  }

  /**
   * The state of a stream that this process does not know: of a short one at its end, of a longer one at its newest
   * snapshot.
   */
  private async begin<S, E extends AnyEvent>(
    kind: StreamKind<S, E>,
    stream: string,
  ): Promise<{ folded: Folded<S>; isWhole: boolean }> {
    const page = await this.store.read(stream, { from: 0, limit: shortStreamEvents });
    const isWhole = page.length < shortStreamEvents;
    const snapshot = isWhole ? null : await this.folded.newest(kind, stream);
    if (snapshot) {
      this.recognize(snapshot.state);
      return { folded: snapshot, isWhole };
    }
    const folded = { state: kind.initial(), revision: -1, snapshotRevision: -1 };
    foldPage(kind, folded, page, this.recognize);
    return { folded, isWhole };
  }
}
