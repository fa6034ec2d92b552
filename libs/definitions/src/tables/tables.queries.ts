import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { collectionOf, type Condition, type Identity, type JsonObject } from '@aos/kernel';
import { DefinitionLists, type PageFilter } from '../definition/definition-lists.js';
import { RowReader } from '../row/row-reader.js';
import { TableDirectory } from '../table/table-directory.js';
import type { TableDefinition } from '../table/table.events.js';
import { tableWire, tablesProjection } from '../table/table.projection.js';

export interface TableFilter extends PageFilter {
  name?: string;
}

export class ListTables extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly filter: TableFilter,
  ) {
    super();
  }
}

export class GetTable extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly tableId: string,
  ) {
    super();
  }
}

export class GetTableStats extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly tableId: string,
  ) {
    super();
  }
}

@QueryHandler(ListTables)
export class ListTablesHandler implements IQueryHandler<ListTables> {
  constructor(private readonly lists: DefinitionLists) {}

  async execute({ who, filter }: ListTables): Promise<JsonObject> {
    const where: Condition[] = filter.name === undefined ? [] : [{ index: 'name', eq: filter.name }];
    const list = { list: 'tables', collection: collectionOf(tablesProjection), who, where, filter };
    return this.lists.answer<TableDefinition>(list, (table) => tableWire(table, who));
  }
}

@QueryHandler(GetTable)
export class GetTableHandler implements IQueryHandler<GetTable> {
  constructor(private readonly tables: TableDirectory) {}

  async execute({ who, tableId }: GetTable): Promise<JsonObject> {
    return tableWire(await this.tables.visible(who, tableId), who);
  }
}

@QueryHandler(GetTableStats)
export class GetTableStatsHandler implements IQueryHandler<GetTableStats> {
  constructor(
    private readonly tables: TableDirectory,
    private readonly rows: RowReader,
  ) {}

  async execute({ who, tableId }: GetTableStats): Promise<JsonObject> {
    return this.rows.stats(await this.tables.visible(who, tableId));
  }
}
