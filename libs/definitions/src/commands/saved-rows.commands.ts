import type { Reply } from '@aos/contract';
import type { JsonObject } from '@aos/kernel';
import { CallerCommand, Routed } from '@aos/platform';
import type { TableRef } from '../table/table-directory.js';

const text = { type: 'string' };

/** Without `row_id` it is the row with the identity in the data, which is made when there is none. */
export type SavedRow = TableRef & { data: JsonObject; row_id?: string; version?: number };

/** `identity`: the row's identity, instead of its id. */
export type RowToDelete = TableRef & { row_id?: string; identity?: string };

const named = { anyOf: [{ required: ['table'] }, { required: ['table_id'] }] };

@Routed('tables.save_row', {
  stream: 'tablerow',
  input: {
    type: 'object',
    required: ['data'],
    ...named,
    properties: { table: text, table_id: text, data: { type: 'object' }, row_id: text, version: { type: 'number' } },
  },
})
export class SaveTableRow extends CallerCommand<SavedRow, Reply<'upsertTableRow'>> {}

@Routed('tables.delete_row', {
  stream: 'tablerow',
  input: { type: 'object', ...named, properties: { table: text, table_id: text, row_id: text, identity: text } },
})
export class DeleteTableRow extends CallerCommand<RowToDelete, { deleted: boolean; row_id: string }> {}
