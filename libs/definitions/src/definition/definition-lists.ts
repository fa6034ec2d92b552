import { Injectable } from '@nestjs/common';
import {
  ReadStore,
  jsonSize,
  type Collection,
  type CollectionPage,
  type Condition,
  type Identity,
  type Json,
  type QueryCursor,
} from '@aos/kernel';
import { CursorSeal, invalidCursor, listScope, pageBytesMax, pageLimitDefault } from '@aos/platform';
import { canSee } from './custody.decide.js';
import type { DefinitionRecord, Named } from './definition.events.js';
import { createdKey } from './definition.projection.js';
import { DefinitionStreams } from './definition-streams.js';

const scanPage = 200;
const scanPagesMax = 50;

/** Paging of rule G2; the other members of a filter bind the cursor. */
export interface PageFilter {
  limit?: number;
  cursor?: string;
}

export interface List<D> {
  /** Name of the list in its cursors. */
  list: string;
  collection: Collection<DefinitionRecord<D>>;
  who: Identity;
  where: readonly Condition[];
  filter: PageFilter;
}

/** A page as the contract shows lists (rule G1). */
export type WirePage<Wire> = { items: Wire[]; has_more: boolean; next_cursor?: string };

export interface ListPage<D> {
  records: DefinitionRecord<D>[];
  /** Null on the last page. */
  next: QueryCursor | null;
}

/** Lists of definitions within a caller's reach, oldest first. */
@Injectable()
export class DefinitionLists {
  constructor(
    private readonly readStore: ReadStore,
    private readonly streams: DefinitionStreams,
    private readonly seal: CursorSeal,
  ) {}

  /** A page as the contract shows it (rule G1). Refuses `invalid_cursor`. */
  async answer<D extends Named, Wire>(
    { list, collection, who, where, filter }: List<D>,
    wire: (record: DefinitionRecord<D>) => Wire,
  ): Promise<WirePage<Wire>> {
    const scope = listScope(who.orgId, list, { ...filter });
    const after = filter.cursor === undefined ? null : cursorIn(this.seal.open(filter.cursor, scope));
    const { records, next } = await this.page(collection, who, where, filter.limit ?? pageLimitDefault, after);
    const page = { items: records.map(wire), has_more: next !== null };
    return next ? { ...page, next_cursor: this.seal.seal(`${next.value ?? ''}`, scope) } : page;
  }

  /**
   * Takes    the collection, the caller, conditions on its indexes, a page size, and where the page before ended.
   * Gives    up to `limit` records the caller can see; most callers see the whole first read. The page ends early, with
   *          more to come, after 10,000 rows out of reach in one go, and before the record that takes it over 8 MiB.
   */
  async page<D extends Named>(
    collection: Collection<DefinitionRecord<D>>,
    who: Identity,
    where: readonly Condition[],
    limit: number,
    after: QueryCursor | null,
  ): Promise<ListPage<D>> {
    const found: DefinitionRecord<D>[] = [];
    let size = 0;
    let from = after;
    for (let scanned = 0; scanned < scanPagesMax; scanned += 1) {
      const page = await collection.query(this.readStore, {
        scope: [who.orgId],
        where,
        orderBy: { index: 'created', direction: 'asc' },
        limit: scanned === 0 ? Math.min(scanPage, limit + 1) : scanPage,
        ...(from ? { after: from } : {}),
      });
      for (const { doc } of page.rows) {
        if (!canSee(doc, who)) continue;
        if (found.length === limit) return { records: found, next: cursorOf(found.at(-1)) };
        const record = await this.streams.hydrate(doc.org_id, doc);
        size += jsonSize(record as Json);
        if (size > pageBytesMax && found.length > 0) return { records: found, next: cursorOf(found.at(-1)) };
        found.push(record);
      }
      if (!page.next) return { records: found, next: null };
      from = page.next;
    }
    return { records: found, next: from };
  }

  /** Every record that the conditions find, without a check of reach: for the service's own upkeep. */
  async *all<D extends Named>(
    collection: Collection<DefinitionRecord<D>>,
    orgId: string,
    where: readonly Condition[],
  ): AsyncGenerator<DefinitionRecord<D>> {
    let from: QueryCursor | null = null;
    do {
      const page: CollectionPage<DefinitionRecord<D>> = await collection.query(this.readStore, {
        scope: [orgId],
        where,
        orderBy: { index: 'created', direction: 'asc' },
        limit: scanPage,
        ...(from ? { after: from } : {}),
      });
      for (const { doc } of page.rows) yield doc;
      from = page.next;
    } while (from);
  }
}

function cursorOf(record: DefinitionRecord<unknown> | undefined): QueryCursor | null {
  return record ? { value: createdKey(record), key: record.id } : null;
}

/** The sealed position is the creation key; its last part is the row's key. */
function cursorIn(position: string): QueryCursor {
  const key = position.split(' ')[1];
  if (key === undefined) throw invalidCursor();
  return { value: position, key };
}
