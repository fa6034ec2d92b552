import { Injectable } from '@nestjs/common';
import type { Reply, RequestBody } from '@aos/contract';
import { notFound, type Identity } from '@aos/kernel';
import { Projectors } from '@aos/platform';
import { rowDocs } from '../row/row.projection.js';
import { RowReader } from '../row/row-reader.js';
import { pageWire, rowWire } from '../row/row.wire.js';
import { TableDirectory } from '../table/table-directory.js';

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
