import { Injectable } from '@nestjs/common';
import type { RequestBody } from '@aos/contract';
import {
  DeleteTableRow,
  NamedTableQueries,
  SaveTableRow,
  type RowToDelete,
  type SavedRow,
} from '@aos/definitions/published';
import { CommandSender } from '@aos/platform';
import { answering, type BuiltinFamily, type DirectTool } from './builtin-call.js';

/** `svc.table.*` */
@Injectable()
export class TableTools implements BuiltinFamily {
  constructor(
    private readonly tables: NamedTableQueries,
    private readonly sender: CommandSender,
  ) {}

  readonly tools: Readonly<Record<string, DirectTool>> = {
    'svc.table.list': answering(({ who, input }) => this.tables.list(who, input)),
    'svc.table.get': answering(({ who, input }) => this.tables.get(who, String(input.table))),
    'svc.table.query_rows': answering(({ who, input: { table, ...query } }) =>
      this.tables.query(who, String(table), query),
    ),
    'svc.table.search_rows': answering(({ who, input: { table, ...search } }) =>
      this.tables.search(who, String(table), search as RequestBody<'searchTableRows'>),
    ),
    'svc.table.get_row': answering(({ who, input: { table, ...wanted } }) =>
      this.tables.getRow(who, String(table), wanted),
    ),
    'svc.table.save_row': answering(({ who, input, call }) =>
      this.sender.send(new SaveTableRow(who, { ...(input as SavedRow) }, call.delivery_id)),
    ),
    'svc.table.delete_row': answering(({ who, input, call }) =>
      this.sender.send(new DeleteTableRow(who, { ...(input as RowToDelete) }, call.delivery_id)),
    ),
  };
}
