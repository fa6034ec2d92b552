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
