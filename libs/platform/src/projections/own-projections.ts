import { Injectable } from '@nestjs/common';
import {
  collectionOf,
  requireKnown,
  upcastRecorded,
  type AnyEvent,
  type ReadRow,
  type RecordedEvent,
} from '@aos/kernel';
import { Decisions } from '../decisions/decisions.js';
import { PassingStreams } from './passing-streams.js';
import {
  WriterProjections,
  rowsOfEvents,
  type ProjectedEvent,
  type StreamProjection,
} from '../decisions/writer-projections.js';

type AnyProjection = StreamProjection<unknown, AnyEvent>;

/** Which streams this process' service writes, by category; without a rule all of them. */
export class OwnStreams {
  constructor(readonly has: (category: string) => boolean = () => true) {}
}

/** The projections of the streams that this process' service writes: they run here, and nowhere else. */
@Injectable()
export class OwnProjections {
  constructor(
    private readonly writers: WriterProjections,
    private readonly decisions: Decisions,
    private readonly streams: OwnStreams,
  ) {}

  /** Those that the modules of this process have registered so far. */
  get all(): readonly AnyProjection[] {
    return this.writers.all.filter(({ kind }) => this.streams.has(kind.category));
  }

  get missedRows(): readonly MissedRows[] {
    const states = new PassingStreams(this.decisions); // one for all: what one projection folded serves the others
    return this.all.map((projection) => new MissedRows(projection, this.writers, states));
  }
}

/** The rows of one projection that writers did not put. */
export class MissedRows {
  /** Name of the projection with its version. */
  readonly name: string;
  readonly prefixes: readonly string[];
  /** The versions before, with the name. */
  readonly retired: readonly string[];

  constructor(
    private readonly projection: AnyProjection,
    private readonly writers: WriterProjections,
    private readonly states: PassingStreams,
  ) {
    this.name = collectionOf(projection);
    this.prefixes = [`${projection.kind.category}-`];
    this.retired = projection.retired ?? [];
  }

  /** Every row is taken to be missed from now on: the read store may have lost what was put. */
  forget(): void {
    this.writers.forget();
  }

  /**
   * Rows of the events' streams as they are now, without those that are there already. While they are built from the
   * log's start the store is not asked for those: next to none are there, and one that is put again changes nothing.
   * Throws at an event that it does not know.
   */
  async of(events: readonly RecordedEvent[], isBuilding = false): Promise<ReadRow[]> {
    if (this.projection.rowsOfEvent) return this.ofEvents(events, isBuilding);
    const touched = new Map<string, RecordedEvent>();
    for (const event of events) {
      requireKnown(this.projection.kind.events, event);
      if (this.projection.on && !this.projection.on.has(event.type)) continue;
      if (!this.writers.hasApplied(this.name, event.stream, event.revision)) touched.set(event.stream, event);
    }
    const { kind } = this.projection;
    // mostly writers of this process have put all
    if (touched.size === 0 && !this.states.mayHold(kind.category)) return [];
    await this.writers.settled(kind, touched.keys()); // a writer of this process is about to put most of them
    for (const [stream, { revision }] of touched)
      if (this.writers.hasApplied(this.name, stream, revision)) touched.delete(stream);
    for (const event of events)
      if (touched.has(event.stream) || this.states.has(event.stream)) this.states.take(kind, event);
    const current = isBuilding ? [] : await this.writers.current(this.projection, touched);
    for (const stream of current) touched.delete(stream);
    const rows: ReadRow[] = [];
    for (const [stream, last] of touched) {
      const { state, revision } = await this.states.at(kind, stream, last.revision);
      rows.push(...this.projection.rows({ state, id: stream.slice(kind.category.length + 1), revision }));
    }
    return rows;
  }

  /**
   * A later row that is there says nothing of an earlier one of another thing: each event counts for itself, and the
   * store is asked for what this process' writers did not put.
   */
  private async ofEvents(events: readonly RecordedEvent[], isBuilding: boolean): Promise<ReadRow[]> {
    await this.writers.settled(this.projection.kind, new Set(events.map(({ stream }) => stream)));
    const missed = events.filter(({ stream, revision }) => !this.writers.hasAppliedEvent(this.name, stream, revision));
    const rows = rowsOfEvents(this.projection, projectedEvents(this.projection, missed));
    if (rows.length === 0 || isBuilding) return rows;
    const known = await this.writers.revisions(this.name, rows);
    return rows.filter(({ revision }, n) => (known[n] ?? -1) < revision);
  }
}

/**
 * Recorded events as `rowsOfEvent` takes them; the others are not decoded. Throws at one that the kind does not know.
 */
export function* projectedEvents(
  { kind, on }: Pick<AnyProjection, 'kind' | 'on'>,
  events: Iterable<RecordedEvent>,
): Generator<ProjectedEvent> {
  for (const event of events) {
    const { stream, revision, type } = event;
    requireKnown(kind.events, event);
    if (on && !on.has(type)) continue;
    const id = stream.slice(kind.category.length + 1);
    yield { event: upcastRecorded(kind.events, event), id, orgId: event.meta.org_id ?? '', revision };
  }
}
