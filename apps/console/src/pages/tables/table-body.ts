import type { Reply, RequestBody, Schema } from '@aos/client';
import { membersOf } from '../definitions/members';

export type Table = Reply<'getTable'>;
export type TableBody = RequestBody<'updateTable'>;
export type NewTableBody = RequestBody<'createTable'>;
export type TableRow = Schema<'TableRow'>;
export type Column = Schema<'ColumnDef'>;

/** What of a table may be changed. */
export function bodyOf(table: Table): TableBody {
  return membersOf(table, ['name', 'description', 'instructions', 'schema', 'tags']) as TableBody;
}

/** The body that makes an empty table like this one. */
export function copyOf(table: Table, name: string): NewTableBody {
  const { schema, ...body } = bodyOf(table);
  return { ...body, schema: schema ?? table.schema, name, visibility: table.visibility };
}

export const columnTypes = ['string', 'number', 'boolean', 'date', 'object', 'array', 'any'].map((value) => ({
  value,
  label: value,
}));

export function identityOf(table: Table, row: TableRow): string {
  return String(row.data[table.schema.identity_column] ?? row.id);
}
