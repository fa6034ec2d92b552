import { GenerationalCache, type EventStore, type ReadRow, type ReadStore, type RecordedEvent } from '@aos/kernel';
import type { ComparedRow, OrderedProjection, OrderedRows } from '@aos/platform';
import {
  addedTo,
  admittedTurn,
  recordedCall,
  rowOfCall,
  sumKey,
  sumRow,
  sumRows,
  sumsCollection,
  usageCollection,
  usageStreams,
  type UsageSum,
} from './usage.wire.js';

/** Turns whose admission is remembered. */
const turnsMax = 20_000;
/** Sums that are kept, so that each is read once. */
const sumsMax = 5_000;
/** Events of one read backwards, for a turn whose admission is not remembered. */
const readMax = 512;

/**
 * Rows of usage and their sums, for the projector, and for a check that builds them again. A sum is read, added to and
 * written with the rows; it knows up to where in the log it goes, so that events that are read again change nothing.
 */
export class OrderedUsage implements OrderedProjection {
  readonly name = usageCollection;
  readonly prefixes = usageStreams;
  readonly collections = [usageCollection, sumsCollection];
  private kept = new GenerationalCache<UsageSum>(sumsMax);
  /** Turn -> key of its admission. */
  private readonly admitted = new GenerationalCache<string>(turnsMax);

  constructor(private readonly store: Pick<EventStore, 'read'>) {}

  begin(rows: ReadStore): OrderedRows {
    this.forget();
    return {
      of: (events) => this.of(events, rows),
      counts: (collection, row, to) => Promise.resolve(!isBehind(collection, row, to)),
    };
  }

  /** Another process may have written sums since, or a commit of them may have been refused. */
  forget(): void {
    this.kept = new GenerationalCache(sumsMax);
  }

  async of(events: readonly RecordedEvent[], readStore: ReadStore): Promise<ReadRow[]> {
    const rows: ReadRow[] = [];
    for (const event of events) {
      const admission = admittedTurn(event);
      if (admission) this.admitted.set(admission.turnId, admission.apiKeyId);
      const call = recordedCall(event);
      if (call) rows.push(...rowOfCall({ ...call, apiKeyId: await this.keyOf(call) }));
    }
    return [...rows, ...(await this.sums(rows, readStore))];
  }

  private async sums(rows: readonly ReadRow[], readStore: ReadStore): Promise<ReadRow[]> {
    const changed = new Map<string, ReadRow>();
    for (const row of rows) {
      const at = sumKey(row);
      const name = [...at.scope, at.key].join(' ');
      const known = this.kept.get(name) ?? (await sumRows.get(readStore, at.scope, at.key))?.doc ?? null;
      const sum = addedTo(known, row);
      this.kept.set(name, sum);
      changed.set(name, sumRow(at, sum));
    }
    return [...changed.values()];
  }

  /** Key of the admission of the call's turn, of a summary outside a turn that of who asked for it. */
  private async keyOf({ turnId, event }: { turnId: string; event: RecordedEvent }): Promise<string> {
    if (turnId === '') return event.meta.api_key_id ?? '';
    const known = this.admitted.get(turnId);
    if (known !== undefined) return known;
    let from = event.revision;
    while (from >= 0) {
      const found = await this.store.read(event.stream, { from, backwards: true, limit: readMax });
      const admission = found.map(admittedTurn).find((each) => each?.turnId === turnId);
      if (admission) {
        this.admitted.set(turnId, admission.apiKeyId);
        return admission.apiKeyId;
      }
      from = (found.at(-1)?.revision ?? 0) - 1;
    }
    return '';
  }
}

/** Whether a live row, or a live sum, goes beyond a position in the log. */
function isBehind(collection: string, { key, live }: ComparedRow, to: string): boolean {
  const through = collection === sumsCollection ? String(live?.through ?? '') : live ? key : '';
  return through > to;
}
