import { Injectable } from '@nestjs/common';
import { CommandGateway, notFound, type Identity, type JsonObject, collectionOf } from '@aos/kernel';
import { DefinitionLists, type PageFilter } from '../definition/definition-lists.js';
import { RowReader, type RowQuery, type RowSearch } from '../row/row-reader.js';
import { rowWire } from '../row/row.wire.js';
import { pageWire } from '../rows/rows.queries.js';
import { TableDirectory } from '../table/table-directory.js';
import type { TableDefinition } from '../table/table.events.js';
import { tableWire, tablesProjection } from '../table/table.projection.js';

/** Commands of this context that other contexts may send; the first part says which service owns them. */
export const saveRowCommand = 'tables.save_row';
export const deleteRowCommand = 'tables.delete_row';

export interface SaveRow {
  /** Name or id. */
  table: string;
  data: JsonObject;
  /** Id of the row to write; absent: the row with the identity in the data, which is made when there is none. */
  row_id?: string;
  version?: number;
}

/**
 * Tables and rows for a caller that acts as a principal, such as an agent by its tools. Tables out of the principal's
 * reach are refused with `not_found`.
 *
 * Reads come from here; writes go to the service that owns the rows, and a repeated delivery id is carried out once.
 */
@Injectable()
export class TableCommands {
  constructor(
    private readonly tables: TableDirectory,
    private readonly rows: RowReader,
    private readonly lists: DefinitionLists,
    private readonly gateway: CommandGateway,
  ) {}

  /** A page of tables as the contract shows it. */
  list(who: Identity, filter: PageFilter = {}): Promise<JsonObject> {
    const list = { list: 'tables', collection: collectionOf(tablesProjection), who, where: [], filter };
    return this.lists.answer<TableDefinition>(list, (table) => tableWire(table, who));
  }

  /** By name or id. */
  async get(who: Identity, table: string): Promise<JsonObject> {
    return tableWire(await this.tables.visibleBy(who, table), who);
  }

  async query(who: Identity, table: string, query: RowQuery): Promise<JsonObject> {
    return pageWire(await this.rows.query(await this.tables.visibleBy(who, table), query));
  }

  async search(who: Identity, table: string, search: RowSearch): Promise<JsonObject> {
    return pageWire(await this.rows.search(await this.tables.visibleBy(who, table), search));
  }

  /** By the row's id, or by its identity. */
  async getRow(who: Identity, tableName: string, wanted: { row_id?: string; identity?: string }): Promise<JsonObject> {
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

  /** Gives `{row, created}`. Refuses as the row routes do. */
  saveRow(who: Identity, save: SaveRow, deliveryId: string): Promise<JsonObject> {
    return this.gateway.send({ name: saveRowCommand, payload: { ...save } as JsonObject, identity: who, deliveryId });
  }

  /** Gives `{deleted: true, row_id}`. */
  deleteRow(
    who: Identity,
    wanted: { table: string; row_id?: string; identity?: string },
    deliveryId: string,
  ): Promise<JsonObject> {
    return this.gateway.send({
      name: deleteRowCommand,
      payload: { ...wanted } as JsonObject,
      identity: who,
      deliveryId,
    });
  }
}
