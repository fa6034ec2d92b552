import { rfc3339, type Clock, type Position, type ReadRow, type ReadStore } from '@aos/kernel';
import {
  cutCollection,
  cutRow,
  everywhere,
  feedRows,
  goneRow,
  onlyRow,
  organizationsCollection,
} from './feed.projection.js';

const dayMs = 24 * 60 * 60 * 1000;
/** Rows that leave in one step. Ours. */
const rowsMax = 500;

/**
 * Lets rows leave that are older than the feed keeps (rule E6), oldest first; the place it cut at stays, so that the
 * first row's previous place is still one that a reader can know.
 */
export class FeedRetention {
  constructor(
    private readonly readStore: ReadStore,
    private readonly clock: Clock,
    private readonly days: number,
  ) {}

  /** What was recorded before this time is not kept. */
  get keptFrom(): string {
    return rfc3339(this.clock.now() - this.days * dayMs);
  }

  /** Goes through every organization once. `goOn` is asked between steps. */
  async sweep(goOn: () => boolean): Promise<void> {
    let after: string | null = null;
    do {
      const page = await this.readStore.query({
        collection: organizationsCollection,
        scope: everywhere,
        limit: 100,
        ...(after === null ? {} : { after: { value: null, key: after } }),
      });
      for (const { key: orgId } of page.rows) while (goOn() && (await this.cut(orgId)));
      after = page.next?.key ?? null;
    } while (after !== null && goOn());
  }

  /** The row that says where an organization's feed begins after a cut. */
  async cutAt(orgId: string, position: Position, receivedAt: string): Promise<ReadRow> {
    const known = await this.readStore.get(cutCollection, [orgId], onlyRow);
    const at = Date.parse(receivedAt);
    return cutRow(orgId, position, known && known.doc.position !== position ? Math.max(known.revision + 1, at) : at);
  }

  /**
   * One step; whether there may be more. The position is put before rows leave: a reader below it is refused either
   * way.
   */
  private async cut(orgId: string): Promise<boolean> {
    const { rows } = await feedRows.query(this.readStore, {
      scope: [orgId],
      orderBy: { index: 'position', direction: 'asc' },
      limit: rowsMax,
    });
    const young = rows.findIndex(({ doc }) => doc.received_at >= this.keptFrom);
    const old = young < 0 ? rows : rows.slice(0, young);
    const last = old.at(-1);
    if (!last) return false;
    await this.readStore.put([await this.cutAt(orgId, last.key, last.doc.received_at)]);
    await this.readStore.put(old.map(({ key }) => goneRow(orgId, key)));
    return old.length === rowsMax;
  }
}
