import { Injectable } from '@nestjs/common';
import type { Reply, RequestBody } from '@aos/contract';
import {
  Clock,
  ReadStore,
  Refusal,
  StoreUnavailable,
  invalidArgument,
  jsonBytes,
  rfc3339,
  type Condition,
  type Query,
  type QueryCursor,
} from '@aos/kernel';
import { OrganizationSalts } from '@aos/access/published';
import { CursorSeal, pageLimitDefault, listScope } from '@aos/platform';
import { DefinitionStreams } from '../definition/definition-streams.js';
import type { TableRecord } from '../table/table.state.js';
import { BatchDecisions } from './batch-decisions.js';
import { rowDocs, type RowDoc } from './row.projection.js';
import type { RowPage } from './row.wire.js';
import type { RowRecord } from './row.events.js';
import { rowFilter } from './row-filter.state.js';
import {
  cursorBytesMax,
  cursorText,
  rowOrder,
  sortedCursor,
  type RowOrder,
  type SortedCursor,
} from './row-order.state.js';
import { wordsOf } from './row-tokens.state.js';
import { looksLikeRowId, slotId, slotIdOf } from './row.state.js';
import { scan } from './row-scan.js';
import { RowStreams } from './row-streams.js';

const hopsMax = 16;
const scanPage = 200;
/** Most rows of one read. */
const readMax = 1000;
/** Rows that one request looks at along an index before it ends its page early. */
const scannedMax = 10_000;
/** Rows that are ordered without an index; beyond that the query is refused. */
const sortedMax = 20_000;
const searchWordsMax = 8;
const againMax = 3;
const statsRowsMax = 2000;
const statsCountMax = 1_000_000;

interface Listed {
  row: RowRecord;
  cursor: QueryCursor | SortedCursor;
}

/**
 * Rows for readers: single rows by id from their streams, lists from the read model. A read sees all rows of a batch or
 * none.
 */
@Injectable()
export class RowReader {
  constructor(
    private readonly readStore: ReadStore,
    private readonly streams: RowStreams,
    private readonly values: DefinitionStreams,
    private readonly batches: BatchDecisions,
    private readonly seal: CursorSeal,
    private readonly clock: Clock,
    private readonly salts: OrganizationSalts,
  ) {}

  /** The live row and the stream it stands in; null when there is none of this id in the table. */
  async row(table: TableRecord, rowId: string): Promise<{ row: RowRecord; slot: string } | null> {
    if (!looksLikeRowId(rowId)) return null;
    let slot = slotIdOf(rowId);
    for (let hop = 0; hop < hopsMax; hop += 1) {
      const { row, moved } = await this.streams.read(table.org_id, slot);
      if (row?.id === rowId) return row.table_id === table.id ? { row, slot } : null;
      const next = moved[rowId];
      if (next === undefined) return null;
      slot = next;
    }
    throw new StoreUnavailable(`row ${rowId} moves again and again`);
  }

  /** The live row of an identity, fresh; null when there is none. */
  async byIdentity(table: TableRecord, identity: string): Promise<RowRecord | null> {
    const { row } = await this.streams.read(table.org_id, await this.slotOf(table, identity));
    return row?.table_id === table.id ? row : null;
  }

  /** The row that a delivery changed in the stream of an identity; null when it did not. */
  async deliveredTo(table: TableRecord, identity: string, deliveryId: string): Promise<string | null> {
    const { deliveries } = await this.streams.read(table.org_id, await this.slotOf(table, identity));
    return deliveries.find(({ id }) => id === deliveryId)?.row_id ?? null;
  }

  private async slotOf(table: TableRecord, identity: string): Promise<string> {
    return slotId(await this.salts.of(table.org_id), table.id, identity);
  }

  /**
   * Refuses bad_request, invalid_cursor; invalid_argument {argument: sort} when too many rows would be ordered without
   * an index.
   */
  query(
    table: TableRecord,
    { filter = {}, sort = [], limit, cursor }: RequestBody<'queryTableRows'>,
  ): Promise<RowPage> {
    const { matches, where } = rowFilter(table.wire, filter);
    return this.list(table, {
      list: 'query',
      filters: { filter, sort },
      where,
      matches,
      order: rowOrder(table.wire, sort),
      limit,
      cursor,
    });
  }

  /**
   * Rows that hold every word of the query, each as the beginning of a word of theirs; oldest first.
   *
   * Refuses  service_unavailable for modes that need an embedding provider (rule R34).
   */
  search(
    table: TableRecord,
    { query, mode = 'keyword', filter = {}, limit, cursor }: RequestBody<'searchTableRows'>,
  ): Promise<RowPage> {
    if (mode !== 'keyword')
      throw new Refusal('service_unavailable', { mode }, 'no embedding provider is configured: search by keyword');
    const words = wordsOf(query, searchWordsMax);
    if (words.length === 0) return Promise.resolve({ rows: [], next_cursor: null, limit: limit ?? pageLimitDefault });
    const { matches, where } = rowFilter(table.wire, filter);
    const conditions: Condition[] = [...words.map((word) => ({ index: 'words', startsWith: word })), ...where];
    return this.list(table, {
      list: 'search',
      filters: { query, mode, filter },
      where: conditions,
      matches,
      order: rowOrder(table.wire, []),
      limit,
      cursor,
    });
  }

  /** Estimates (contract, `TableStats`): exact up to 2,000 rows, then as those are. */
  async stats(table: TableRecord): Promise<Reply<'getTableStats'>> {
    const scope = [table.org_id, table.id];
    const rows: { dataBytes: number; indexBytes: number; createdAt: string; updatedAt: string }[] = [];
    const query = { scope, orderBy: { index: 'created', direction: 'asc' as const } };
    const verdicts = new Map<string, boolean>();
    let isWhole = true;
    const reads = { first: scanPage, most: scanPage, after: null };
    for await (const page of scan((wanted) => rowDocs.query(this.readStore, { ...query, ...wanted }), reads)) {
      for (const { doc } of page.rows) {
        if (!(await this.stands(doc, verdicts))) continue;
        const { data, index, created_at: createdAt, updated_at: updatedAt } = doc;
        rows.push({ dataBytes: jsonBytes(data), indexBytes: jsonBytes(index), createdAt, updatedAt });
      }
      isWhole = page.next === null;
      if (rows.length >= statsRowsMax) break;
    }
    const total = isWhole ? rows.length : await rowDocs.count(this.readStore, { scope }, statsCountMax);
    const scale = rows.length > 0 ? total / rows.length : 0;
    const scaled = (bytes: number) => Math.round(bytes * scale);
    const stats = {
      table_id: table.id,
      row_count: total,
      approx_data_bytes: scaled(rows.reduce((sum, { dataBytes }) => sum + dataBytes, 0)),
      approx_index_bytes: scaled(rows.reduce((sum, { indexBytes }) => sum + indexBytes, 0)),
      indexed_column_count: Object.keys(table.wire.row_indexes).length,
      declared_index_count: (table.wire.schema.indexes ?? []).length,
      search_index_present: true,
      generated_at: rfc3339(this.clock.now()),
    };
    const [oldest] = rows;
    if (!oldest) return stats;
    const newest = rows.reduce((at, { updatedAt: other }) => (other > at ? other : at), oldest.updatedAt);
    return { ...stats, oldest_row_created_at: oldest.createdAt, newest_row_updated_at: newest };
  }

  private async list(
    table: TableRecord,
    asked: {
      list: string;
      filters: Record<string, unknown>;
      where: Condition[];
      matches(row: RowRecord): boolean;
      order: RowOrder;
      limit: number | undefined;
      cursor: string | undefined;
    },
  ): Promise<RowPage> {
    const limit = asked.limit ?? pageLimitDefault;
    const scope = listScope(table.org_id, `rows:${asked.list}:${table.id}`, asked.filters);
    const after = asked.cursor === undefined ? null : sortedCursor(this.seal.open(asked.cursor, scope, cursorBytesMax));
    const list = { scope: [table.org_id, table.id], where: asked.where };
    const { rows, next } = await this.consistently<{ rows: RowRecord[]; next: QueryCursor | SortedCursor | null }>(
      (verdicts) => {
        const { order } = asked;
        return order.along
          ? this.alongIndex({ ...list, orderBy: order.along }, asked.matches, limit, after, verdicts)
          : this.ordered(list, order, asked.matches, limit, after, verdicts);
      },
    );
    return {
      rows: await Promise.all(rows.map((row) => this.values.hydrate(table.org_id, row))),
      next_cursor: next ? this.seal.seal(cursorText(next), scope, cursorBytesMax) : null,
      limit,
    };
  }

  /**
   * Reads again after finding a batch that this process did not know as committed: rows of it may have reached the read
   * model at positions already read. A batch that is first found in the last read counts as undecided.
   */
  private async consistently<T>(look: (verdicts: Map<string, boolean>) => Promise<T>): Promise<T> {
    let verdicts = new Map<string, boolean>();
    const { mark } = this.batches;
    for (let again = 0; ; again += 1) {
      const known = new Set(verdicts.keys());
      const found = await look(verdicts);
      const fresh = [...verdicts].filter(
        ([batchId, stands]) => stands && !known.has(batchId) && !this.batches.wasKnown(batchId, mark),
      );
      if (fresh.length === 0) return found;
      if (again >= againMax)
        verdicts = new Map(
          [...verdicts].map(([batchId, stands]) => [batchId, stands && !fresh.some(([late]) => late === batchId)]),
        );
    }
  }

  private async alongIndex(
    query: Pick<Query, 'scope' | 'where' | 'orderBy'>,
    matches: (row: RowRecord) => boolean,
    limit: number,
    after: QueryCursor | null,
    verdicts: Map<string, boolean>,
  ): Promise<{ rows: RowRecord[]; next: QueryCursor | null }> {
    const found: Listed[] = [];
    const index = query.orderBy?.index ?? '';
    let from = after ? { value: after.value, key: after.key } : null;
    let scanned = 0;
    // when the index covers the whole filter, the first page is enough
    const reads = { first: limit + 1, most: Math.max(scanPage, limit + 1), after: from };
    for await (const page of scan((wanted) => rowDocs.query(this.readStore, { ...query, ...wanted }), reads)) {
      for (const { key, doc: row } of page.rows) {
        if (!(await this.stands(row, verdicts)) || !matches(await this.values.hydrate(row.org_id, row))) continue;
        if (found.length === limit)
          return { rows: found.map(({ row: one }) => one), next: found.at(-1)?.cursor as QueryCursor };
        found.push({ row, cursor: { value: indexedValue(row, index), key } });
      }
      scanned += page.rows.length;
      from = page.next;
      if (scanned >= scannedMax) break;
    }
    return { rows: found.map(({ row }) => row), next: from };
  }

  private async ordered(
    query: Pick<Query, 'scope' | 'where' | 'orderBy'>,
    order: Extract<RowOrder, { along: null }>,
    matches: (row: RowRecord) => boolean,
    limit: number,
    after: SortedCursor | null,
    verdicts: Map<string, boolean>,
  ): Promise<{ rows: RowRecord[]; next: SortedCursor | null }> {
    let best: { row: RowRecord; cursor: SortedCursor }[] = [];
    let scanned = 0;
    const reads = { first: scanPage, most: readMax, after: null };
    for await (const page of scan((wanted) => rowDocs.query(this.readStore, { ...query, ...wanted }), reads)) {
      for (const { key, doc: row } of page.rows) {
        if (!(await this.stands(row, verdicts))) continue;
        const whole = await this.values.hydrate(row.org_id, row);
        if (!matches(whole)) continue;
        const cursor = order.cursor(whole, key);
        if (!after || order.compare(cursor, after) > 0) best.push({ row, cursor });
      }
      scanned += page.rows.length;
      if (scanned > sortedMax)
        throw invalidArgument('sort', `more than ${sortedMax} rows: sort by one indexed column, or filter`, {
          reason: 'not_indexed',
        });
      best = best.sort((a, b) => order.compare(a.cursor, b.cursor)).slice(0, limit + 1);
    }
    const shown = best.slice(0, limit);
    return { rows: shown.map(({ row }) => row), next: best.length > limit ? (shown.at(-1)?.cursor ?? null) : null };
  }

  /** Whether a row of the read model stands. `verdicts` keeps one answer per batch. */
  private async stands({ batch }: RowDoc, verdicts: Map<string, boolean>): Promise<boolean> {
    if (!batch) return true;
    let committed = verdicts.get(batch.id);
    if (committed === undefined) {
      committed = (await this.batches.outcome(batch.id)) === 'committed';
      verdicts.set(batch.id, committed);
    }
    return batch.kind === 'arriving' ? committed : !committed;
  }
}

/** The value of a row's index, as its projection put it. */
function indexedValue(row: RowRecord, index: string): string | number | null {
  if (index === 'created') return `${row.created_at} ${row.id}`;
  if (index === 'updated') return `${row.updated_at} ${row.id}`;
  return row.index[index.slice('c:'.length)] ?? null;
}
