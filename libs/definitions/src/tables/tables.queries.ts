import { Injectable } from '@nestjs/common';
import type { QueryOf, Schema } from '@aos/contract';
import type { Condition, Identity, JsonObject } from '@aos/kernel';
import { DefinitionLists, type WirePage } from '../definition/definition-lists.js';
import { RowReader } from '../row/row-reader.js';
import { TableDirectory } from '../table/table-directory.js';
import { tableRecords, tableWire } from '../table/table.projection.js';

@Injectable()
export class TableQueries {
  constructor(
    private readonly lists: DefinitionLists,
    private readonly tables: TableDirectory,
    private readonly rows: RowReader,
  ) {}

  list(who: Identity, filter: QueryOf<'listTables'>): Promise<WirePage<Schema<'Table'>>> {
    const where: Condition[] = filter.name === undefined ? [] : [{ index: 'name', eq: filter.name }];
    return this.lists.answer({ list: 'tables', collection: tableRecords, who, where, filter }, (table) =>
      tableWire(table, who),
    );
  }

  async get(who: Identity, tableId: string): Promise<Schema<'Table'>> {
    return tableWire(await this.tables.visible(who, tableId), who);
  }

  async stats(who: Identity, tableId: string): Promise<JsonObject> {
    return this.rows.stats(await this.tables.visible(who, tableId));
  }
}
