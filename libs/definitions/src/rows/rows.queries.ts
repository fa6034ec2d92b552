import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { notFound, type Identity, type JsonObject, collectionOf } from '@aos/kernel';
import { Projectors } from '@aos/platform';
import { rowsProjection } from '../row/row.projection.js';
import { RowReader, type RowPage, type RowQuery, type RowSearch } from '../row/row-reader.js';
import { rowWire } from '../row/row.wire.js';
import { TableDirectory } from '../table/table-directory.js';

export class GetRow extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly tableId: string,
    readonly rowId: string,
  ) {
    super();
  }
}

export class QueryRows extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly tableId: string,
    readonly query: RowQuery,
  ) {
    super();
  }
}

export class SearchRows extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly tableId: string,
    readonly search: RowSearch,
  ) {
    super();
  }
}

/** A page of rows as the contract shows it. */
export function pageWire({ rows, next_cursor: next, limit }: RowPage): JsonObject {
  const page: JsonObject = { items: rows.map(rowWire), has_more: next !== null, limit };
  if (next !== null) page.next_cursor = next;
  return page;
}

@QueryHandler(GetRow)
export class GetRowHandler implements IQueryHandler<GetRow> {
  constructor(
    private readonly tables: TableDirectory,
    private readonly rows: RowReader,
  ) {}

  async execute({ who, tableId, rowId }: GetRow): Promise<JsonObject> {
    const found = await this.rows.row(await this.tables.visible(who, tableId), rowId);
    if (!found) throw notFound('row');
    return rowWire(found.row);
  }
}

@QueryHandler(QueryRows)
export class QueryRowsHandler implements IQueryHandler<QueryRows> {
  constructor(
    private readonly tables: TableDirectory,
    private readonly rows: RowReader,
    private readonly projectors: Projectors,
  ) {}

  async execute({ who, tableId, query }: QueryRows): Promise<JsonObject> {
    this.projectors.requireCaughtUp(collectionOf(rowsProjection));
    return pageWire(await this.rows.query(await this.tables.visible(who, tableId), query));
  }
}

@QueryHandler(SearchRows)
export class SearchRowsHandler implements IQueryHandler<SearchRows> {
  constructor(
    private readonly tables: TableDirectory,
    private readonly rows: RowReader,
    private readonly projectors: Projectors,
  ) {}

  async execute({ who, tableId, search }: SearchRows): Promise<JsonObject> {
    this.projectors.requireCaughtUp(collectionOf(rowsProjection));
    return pageWire(await this.rows.search(await this.tables.visible(who, tableId), search));
  }
}
