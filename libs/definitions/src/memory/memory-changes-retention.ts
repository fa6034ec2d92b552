import { rfc3339, type Clock, type CollectionPage, type QueryCursor, type ReadStore } from '@aos/kernel';
import { changeDocs, everywhere, feedDocs, goneChange } from './memory-changes.projection.js';
import { changesKeptMs } from './memory.limits.js';

/** Changes deleted in one step. Ours. */
const rowsMax = 500;
const feedsMax = 100;

/**
 * Deletes changes older than the feed keeps (rule R37), oldest first. A position before them is refused by its age
 * alone.
 */
export class MemoryChangesRetention {
  constructor(
    private readonly readStore: ReadStore,
    private readonly clock: Clock,
  ) {}

  /** What was recorded before this time is not kept. */
  get keptFrom(): string {
    return rfc3339(this.clock.now() - changesKeptMs);
  }

  /** Goes through every feed once. `goOn` is asked between steps. */
  async sweep(goOn: () => boolean): Promise<void> {
    let after: QueryCursor | null = null;
    do {
      const page: CollectionPage<{ org_id: string; agent_id: string }> = await feedDocs.query(this.readStore, {
        scope: everywhere,
        limit: feedsMax,
        ...(after ? { after } : {}),
      });
      for (const { doc } of page.rows) {
        const scope = [doc.org_id, doc.agent_id];
        while (goOn() && (await this.cut(scope)));
      }
      after = page.next;
    } while (after !== null && goOn());
  }

  /** One step; whether there may be more. */
  private async cut(scope: readonly string[]): Promise<boolean> {
    const { rows } = await changeDocs.query(this.readStore, {
      scope,
      where: [{ index: 'at', lt: this.keptFrom }],
      orderBy: { index: 'at', direction: 'asc' },
      limit: rowsMax,
    });
    if (rows.length > 0) await this.readStore.put(rows.map(({ key }) => goneChange(scope, key)));
    return rows.length === rowsMax;
  }
}
