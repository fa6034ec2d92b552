import { Injectable } from '@nestjs/common';
import { TableCommands } from '@aos/definitions/published';
import { answering, type BuiltinFamily, type DirectTool } from './builtin-call.js';

type Query = Parameters<TableCommands['query']>[2];
type Search = Parameters<TableCommands['search']>[2];
type Wanted = { table: string; row_id?: string; identity?: string };

/** `svc.table.*` */
@Injectable()
export class TableTools implements BuiltinFamily {
  constructor(private readonly tables: TableCommands) {}

  readonly tools: Readonly<Record<string, DirectTool>> = {
    'svc.table.list': answering(({ who, input }) => this.tables.list(who, input)),
    'svc.table.get': answering(({ who, input }) => this.tables.get(who, String(input.table))),
    'svc.table.query_rows': answering(({ who, input: { table, ...query } }) =>
      this.tables.query(who, String(table), query as Query),
    ),
    'svc.table.search_rows': answering(({ who, input: { table, ...search } }) =>
      this.tables.search(who, String(table), search as unknown as Search),
    ),
    'svc.table.get_row': answering(({ who, input: { table, ...wanted } }) =>
      this.tables.getRow(who, String(table), wanted),
    ),
    'svc.table.save_row': answering(({ who, input, call }) =>
      this.tables.saveRow(who, input as unknown as Parameters<TableCommands['saveRow']>[1], call.delivery_id),
    ),
    'svc.table.delete_row': answering(({ who, input, call }) =>
      this.tables.deleteRow(who, input as unknown as Wanted, call.delivery_id),
    ),
  };
}
