import { GenerationalCache, ShortLivedMap, type AnyEvent, type RecordedEvent, type StreamKind } from '@aos/kernel';
import type { Decisions, Loaded } from '../decisions/decisions.js';
import { foldPage } from '../decisions/folded.js';

const streamsMax = 50_000;
/** A state grows with its events, by half a KiB each or less: together 64 MiB. */
export const eventsMax = 131_072;

type AnyKind = StreamKind<unknown, AnyEvent>;

/**
 * States of streams, folded from the events that pass: who goes through the log reads each event once, and no stream a
 * second time.
 *
 * Bounded. A stream that had to leave, and one that is met in its middle, is loaded.
 */
export class PassingStreams {
  private readonly known = new GenerationalCache<Loaded<unknown>>(streamsMax, {
    weightMax: eventsMax,
    weigh: ({ revision }) => revision + 1,
  });

  /** Categories of the streams that were ever folded or loaded. */
  private readonly categories = new Set<string>();

  /** Loads under way, by stream: projections of one batch ask for the same one. */
  private readonly loading = new ShortLivedMap<Promise<Loaded<unknown>>>();

  constructor(private readonly decisions: Pick<Decisions, 'load'>) {}

  /** Whether streams of the category may be known: in a process that has missed nothing of them none is. */
  mayHold(category: string): boolean {
    return this.categories.has(category);
  }

  has(stream: string): boolean {
    return this.known.get(stream) !== undefined;
  }

  /** Takes an event of the kind. One that is folded already changes nothing; one that does not follow is for `at`. */
  take(kind: AnyKind, event: RecordedEvent): void {
    const { stream, revision } = event;
    const known = this.known.get(stream) ?? { state: kind.initial(), revision: -1 };
    if (revision <= known.revision) return;
    if (revision > known.revision + 1) {
      this.known.delete(stream);
      return;
    }
    const folded = { ...known };
    foldPage(kind, folded, [event]);
    this.keep(kind, stream, folded);
  }

  /** The state of a stream at a revision, or at a later one. Refuses what the log refuses. */
  async at(kind: AnyKind, stream: string, revision: number): Promise<Loaded<unknown>> {
    const known = this.known.get(stream);
    if (known && known.revision >= revision) return known;
    const underWay = this.loading.get(stream);
    if (underWay) {
      const loaded = await underWay;
      if (loaded.revision >= revision) return loaded; // else it began before the event was there
    }
    const load = this.load(kind, stream);
    this.loading.set(stream, load);
    try {
      return await load;
    } finally {
      if (this.loading.get(stream) === load) this.loading.delete(stream);
    }
  }

  private async load(kind: AnyKind, stream: string): Promise<Loaded<unknown>> {
    const loaded = await this.decisions.load(kind, stream.slice(kind.category.length + 1));
    const kept = { state: loaded.state, revision: loaded.revision }; // what was loaded moves on with the stream
    this.keep(kind, stream, kept);
    return kept;
  }

  private keep({ category }: AnyKind, stream: string, loaded: Loaded<unknown>): void {
    this.categories.add(category);
    this.known.set(stream, loaded);
  }
}
