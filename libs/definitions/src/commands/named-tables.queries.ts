import { Injectable } from '@nestjs/common';
import type { Reply, RequestBody, Schema } from '@aos/contract';
import { notFound, type Identity } from '@aos/kernel';
import { DefinitionLists, type PageFilter } from '../definition/definition-lists.js';
import { RowReader } from '../row/row-reader.js';
import { pageWire, rowWire } from '../row/row.wire.js';
import { TableDirectory } from '../table/table-directory.js';
import { tableRecords, tableWire } from '../table/table.projection.js';

/**
 * Tables and rows for a caller that acts as a principal, such as an agent by its tools. A table has its name or id;
 * tables out of the principal's reach are refused with `not_found`.
 */
@Injectable()
export class NamedTableQueries {
  constructor(
    private readonly tables: TableDirectory,
    private readonly rows: RowReader,
    private readonly lists: DefinitionLists,
  ) {}

  list(who: Identity, filter: PageFilter = {}): Promise<Reply<'listTables'>> {
    const list = { list: 'tables', collection: tableRecords, who, where: [], filter };
    return this.lists.answer(list, (table) => tableWire(table, who));
  }

  async get(who: Identity, table: string): Promise<Schema<'Table'>> {
    return tableWire(await this.tables.visibleBy(who, table), who);
  }

  async query(who: Identity, table: string, query: RequestBody<'queryTableRows'>): Promise<Reply<'queryTableRows'>> {
    return pageWire(await this.rows.query(await this.tables.visibleBy(who, table), query));
  }

  async search(
    who: Identity,
    table: string,
    search: RequestBody<'searchTableRows'>,
  ): Promise<Reply<'searchTableRows'>> {
    return pageWire(await this.rows.search(await this.tables.visibleBy(who, table), search));
  }

  /** By the row's id, or by its identity. */
  async getRow(
    who: Identity,
    tableName: string,
    wanted: { row_id?: string; identity?: string },
  ): Promise<Schema<'TableRow'>> {
    const table = await this.tables.visibleBy(who, tableName);
    if (wanted.row_id !== undefined) {
      const found = await this.rows.row(table, wanted.row_id);
      if (!found) throw notFound('row');
      return rowWire(found.row);
    }
    const row = wanted.identity === undefined ? null : await this.rows.byIdentity(table, wanted.identity);
    if (!row) throw notFound('row');
    return rowWire(row);
  }
}
