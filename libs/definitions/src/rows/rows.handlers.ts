import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Identity, JsonObject } from '@aos/kernel';
import { BulkInsert } from '../row/bulk-insert.js';
import { rowWire } from '../row/row.wire.js';
import { TableRows } from '../row/table-rows.js';
import { TableDirectory } from '../table/table-directory.js';

export class InsertRow extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly tableId: string,
    readonly data: JsonObject,
  ) {
    super();
  }
}

export class UpdateRow extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly tableId: string,
    readonly rowId: string,
    readonly body: { data: JsonObject; version?: number },
  ) {
    super();
  }
}

export class DeleteRow extends Command<void> {
  constructor(
    readonly who: Identity,
    readonly tableId: string,
    readonly rowId: string,
  ) {
    super();
  }
}

export interface UpsertedRow {
  row: JsonObject;
  created: boolean;
}

export class UpsertRow extends Command<UpsertedRow> {
  constructor(
    readonly who: Identity,
    readonly tableId: string,
    readonly data: JsonObject,
  ) {
    super();
  }
}

export class InsertRows extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly tableId: string,
    readonly rows: JsonObject[],
  ) {
    super();
  }
}

@CommandHandler(InsertRow)
export class InsertRowHandler implements ICommandHandler<InsertRow> {
  constructor(
    private readonly tables: TableDirectory,
    private readonly rows: TableRows,
  ) {}

  async execute({ who, tableId, data }: InsertRow): Promise<JsonObject> {
    const table = await this.tables.visible(who, tableId);
    return rowWire(await this.rows.insert({ who, table, deliveryId: null }, data));
  }
}

@CommandHandler(UpdateRow)
export class UpdateRowHandler implements ICommandHandler<UpdateRow> {
  constructor(
    private readonly tables: TableDirectory,
    private readonly rows: TableRows,
  ) {}

  async execute({ who, tableId, rowId, body: { data, version } }: UpdateRow): Promise<JsonObject> {
    const table = await this.tables.visible(who, tableId);
    return rowWire(await this.rows.update({ who, table, deliveryId: null }, rowId, { data, version: version ?? null }));
  }
}

@CommandHandler(DeleteRow)
export class DeleteRowHandler implements ICommandHandler<DeleteRow> {
  constructor(
    private readonly tables: TableDirectory,
    private readonly rows: TableRows,
  ) {}

  async execute({ who, tableId, rowId }: DeleteRow): Promise<void> {
    const table = await this.tables.visible(who, tableId);
    await this.rows.delete({ who, table, deliveryId: null }, rowId);
  }
}

@CommandHandler(UpsertRow)
export class UpsertRowHandler implements ICommandHandler<UpsertRow> {
  constructor(
    private readonly tables: TableDirectory,
    private readonly rows: TableRows,
  ) {}

  async execute({ who, tableId, data }: UpsertRow): Promise<UpsertedRow> {
    const table = await this.tables.visible(who, tableId);
    const { row, created } = await this.rows.upsert({ who, table, deliveryId: null }, data);
    return { row: rowWire(row), created };
  }
}

@CommandHandler(InsertRows)
export class InsertRowsHandler implements ICommandHandler<InsertRows> {
  constructor(
    private readonly tables: TableDirectory,
    private readonly bulk: BulkInsert,
  ) {}

  async execute({ who, tableId, rows }: InsertRows): Promise<JsonObject> {
    const table = await this.tables.visible(who, tableId);
    const inserted = await this.bulk.insert(who, table, rows);
    return { inserted: inserted.length, items: inserted.map(rowWire) };
  }
}
