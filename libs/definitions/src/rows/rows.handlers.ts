import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply, RequestBody } from '@aos/contract';
import { CallerCommand } from '@aos/platform';
import { BulkInsert } from '../row/bulk-insert.js';
import { rowWire } from '../row/row.wire.js';
import { TableRows } from '../row/table-rows.js';
import { TableDirectory } from '../table/table-directory.js';

export class InsertRow extends CallerCommand<
  { table_id: string; body: RequestBody<'createTableRow'> },
  Reply<'createTableRow'>
> {}

export class UpdateRow extends CallerCommand<
  { table_id: string; row_id: string; body: RequestBody<'updateTableRow'> },
  Reply<'updateTableRow'>
> {}

export class DeleteRow extends CallerCommand<{ table_id: string; row_id: string }, void> {}

export class UpsertRow extends CallerCommand<
  { table_id: string; body: RequestBody<'upsertTableRow'> },
  Reply<'upsertTableRow'>
> {}

export class InsertRows extends CallerCommand<
  { table_id: string; body: RequestBody<'bulkCreateTableRows'> },
  Reply<'bulkCreateTableRows'>
> {}

@CommandHandler(InsertRow)
export class InsertRowHandler implements ICommandHandler<InsertRow> {
  constructor(
    private readonly tables: TableDirectory,
    private readonly rows: TableRows,
  ) {}

  async execute({ who, input: { table_id: tableId, body } }: InsertRow) {
    const table = await this.tables.visible(who, tableId);
    return rowWire(await this.rows.insert({ who, table, deliveryId: null }, body.data));
  }
}

@CommandHandler(UpdateRow)
export class UpdateRowHandler implements ICommandHandler<UpdateRow> {
  constructor(
    private readonly tables: TableDirectory,
    private readonly rows: TableRows,
  ) {}

  async execute({ who, input: { table_id: tableId, row_id: rowId, body } }: UpdateRow) {
    const table = await this.tables.visible(who, tableId);
    const { data, version = null } = body;
    return rowWire(await this.rows.update({ who, table, deliveryId: null }, rowId, { data, version }));
  }
}

@CommandHandler(DeleteRow)
export class DeleteRowHandler implements ICommandHandler<DeleteRow> {
  constructor(
    private readonly tables: TableDirectory,
    private readonly rows: TableRows,
  ) {}

  async execute({ who, input: { table_id: tableId, row_id: rowId } }: DeleteRow): Promise<void> {
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

  async execute({ who, input: { table_id: tableId, body } }: UpsertRow) {
    const table = await this.tables.visible(who, tableId);
    const { row, created } = await this.rows.upsert({ who, table, deliveryId: null }, body.data);
    return { row: rowWire(row), created };
  }
}

@CommandHandler(InsertRows)
export class InsertRowsHandler implements ICommandHandler<InsertRows> {
  constructor(
    private readonly tables: TableDirectory,
    private readonly bulk: BulkInsert,
  ) {}

  async execute({ who, input: { table_id: tableId, body } }: InsertRows) {
    const table = await this.tables.visible(who, tableId);
    const inserted = await this.bulk.insert(who, table, body.rows);
    return { inserted: inserted.length, items: inserted.map(rowWire) };
  }
}
