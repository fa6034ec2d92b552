import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { badRequest, notFound } from '@aos/kernel';
import { RowReader } from '../row/row-reader.js';
import { rowWire } from '../row/row.wire.js';
import { TableRows } from '../row/table-rows.js';
import { TableDirectory } from '../table/table-directory.js';
import type { TableRecord } from '../table/table.state.js';
import { DeleteTableRow, SaveTableRow } from './saved-rows.commands.js';

@CommandHandler(SaveTableRow)
export class SaveTableRowHandler implements ICommandHandler<SaveTableRow> {
  constructor(
    private readonly tables: TableDirectory,
    private readonly rows: TableRows,
  ) {}

  async execute({ who, input, deliveryId }: SaveTableRow) {
    const { data, row_id: rowId, version = null } = input;
    const table = await this.tables.referred(who, input);
    const context = { who, table, deliveryId };
    if (rowId !== undefined)
      return { row: rowWire(await this.rows.update(context, rowId, { data, version })), created: false };
    const { row, created } = await this.rows.upsert(context, data);
    return { row: rowWire(row), created };
  }
}

@CommandHandler(DeleteTableRow)
export class DeleteTableRowHandler implements ICommandHandler<DeleteTableRow> {
  constructor(
    private readonly tables: TableDirectory,
    private readonly rows: TableRows,
    private readonly reader: RowReader,
  ) {}

  async execute({ who, input, deliveryId }: DeleteTableRow) {
    const table = await this.tables.referred(who, input);
    const rowId = input.row_id ?? (await this.rowOf(table, input.identity, deliveryId));
    await this.rows.delete({ who, table, deliveryId }, rowId);
    return { deleted: true, row_id: rowId };
  }

  /** The row of an identity; also the one that this very delivery has deleted. */
  private async rowOf(table: TableRecord, identity: string | undefined, deliveryId: string | null): Promise<string> {
    if (identity === undefined) throw badRequest([{ path: '/identity', message: 'is not text' }]);
    const row = await this.reader.byIdentity(table, identity);
    if (row) return row.id;
    const delivered = deliveryId === null ? null : await this.reader.deliveredTo(table, identity, deliveryId);
    if (delivered === null) throw notFound('row');
    return delivered;
  }
}
