import { Injectable } from '@nestjs/common';
import { ReadStore, type Condition, type Identity, type JsonObject, type QueryCursor } from '@aos/kernel';
import { canSee } from './custody.decide.js';
import type { DefinitionRecord, Named } from './definition.events.js';
import { createdKey } from './definition.projection.js';
import { DefinitionStreams } from './definition-streams.js';

const scanPage = 200;
const scanPagesMax = 50;

export interface ListPage<D> {
  records: DefinitionRecord<D>[];
  /** Null on the last page. */
  next: QueryCursor | null;
}

/** Lists of definitions within a caller's reach, oldest first. */
@Injectable()
export class DefinitionLists {
  constructor(private readonly readStore: ReadStore, private readonly streams: DefinitionStreams) {}

  /**
   * Takes    the collection, the caller, conditions on its indexes, a page size, and where the page before ended.
   * Gives    up to `limit` records the caller can see. After 10,000 rows out of reach in one go the page ends early, with more to come.
   */
  async page<D extends Named>(
    collection: string, who: Identity, where: readonly Condition[], limit: number, after: QueryCursor | null,
  ): Promise<ListPage<D>> {
    const found: DefinitionRecord<D>[] = [];
    const seesAll = who.permissions.has('svc.org.admin');
    let from = after;
    for (let scanned = 0; scanned < scanPagesMax; scanned += 1) {
      const page = await this.readStore.query({
        collection, scope: [who.orgId], where, orderBy: { index: 'created', direction: 'asc' }, limit: seesAll ? limit + 1 : Math.max(scanPage, limit + 1),
        ...(from ? { after: from } : {}),
      });
      for (const { doc } of page.rows) {
        const record = doc as unknown as DefinitionRecord<D>;
        if (!canSee(record, who)) continue;
        if (found.length === limit) return { records: await this.whole(found), next: placeOf(found.at(-1)) };
        found.push(record);
      }
      if (!page.next) return { records: await this.whole(found), next: null };
      from = page.next;
    }
    return { records: await this.whole(found), next: from };
  }

  /** Every record that the conditions find, in reach of nobody in particular: for the service's own upkeep. */
  async *all<D extends Named>(collection: string, orgId: string, where: readonly Condition[]): AsyncGenerator<DefinitionRecord<D>> {
    let from: QueryCursor | null = null;
    do {
      const page: { rows: { doc: JsonObject }[]; next: QueryCursor | null } = await this.readStore.query({
        collection, scope: [orgId], where, orderBy: { index: 'created', direction: 'asc' }, limit: scanPage, ...(from ? { after: from } : {}),
      });
      for (const { doc } of page.rows) yield doc as unknown as DefinitionRecord<D>;
      from = page.next;
    } while (from);
  }

  private whole<D>(records: DefinitionRecord<D>[]): Promise<DefinitionRecord<D>[]> {
    return Promise.all(records.map((record) => this.streams.hydrate(record.org_id, record)));
  }
}

function placeOf(record: DefinitionRecord<unknown> | undefined): QueryCursor | null {
  return record ? { value: createdKey(record), key: record.id } : null;
}
