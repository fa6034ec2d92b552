import { Injectable } from '@nestjs/common';
import type { Reply, RequestBody, Schema } from '@aos/contract';
import { notFound, type Identity } from '@aos/kernel';
import { Projectors } from '@aos/platform';
import { rowDocs } from '../row/row.projection.js';
import { RowReader, type RowPage } from '../row/row-reader.js';
import { rowWire } from '../row/row.wire.js';
import { TableDirectory } from '../table/table-directory.js';

/** A page of rows as the contract shows it. */
export function pageWire({ rows, next_cursor: next, limit }: RowPage): Schema<'TableRowQueryListResponse'> {
  const page = { items: rows.map(rowWire), has_more: next !== null, limit };
  return next === null ? page : { ...page, next_cursor: next };
}

@Injectable()
export class RowQueries {
  constructor(
    private readonly tables: TableDirectory,
    private readonly rows: RowReader,
    private readonly projectors: Projectors,
  ) {}

  async get(who: Identity, tableId: string, rowId: string): Promise<Reply<'getTableRow'>> {
    const found = await this.rows.row(await this.tables.visible(who, tableId), rowId);
    if (!found) throw notFound('row');
    return rowWire(found.row);
  }

  async query(who: Identity, tableId: string, query: RequestBody<'queryTableRows'>): Promise<Reply<'queryTableRows'>> {
    this.projectors.requireCaughtUp(rowDocs.name);
    return pageWire(await this.rows.query(await this.tables.visible(who, tableId), query));
  }

  async search(
    who: Identity,
    tableId: string,
    search: RequestBody<'searchTableRows'>,
  ): Promise<Reply<'searchTableRows'>> {
    this.projectors.requireCaughtUp(rowDocs.name);
    return pageWire(await this.rows.search(await this.tables.visible(who, tableId), search));
  }
}
