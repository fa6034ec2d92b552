import type { Reply } from '@aos/contract';
import type { JsonObject } from '@aos/kernel';
import { CallerCommand, Routed } from '@aos/platform';

const text = { type: 'string' };

/**
 * `table`: its name or id. Without `row_id` it is the row with the identity in the data, which is made when there is
 * none.
 */
export type SavedRow = { table: string; data: JsonObject; row_id?: string; version?: number };

/** `identity`: the row's identity, instead of its id. */
export type RowToDelete = { table: string; row_id?: string; identity?: string };

@Routed('tables.save_row', {
  stream: 'tablerow',
  input: {
    type: 'object',
    required: ['table', 'data'],
    properties: { table: text, data: { type: 'object' }, row_id: text, version: { type: 'number' } },
  },
})
export class SaveTableRow extends CallerCommand<SavedRow, Reply<'upsertTableRow'>> {}

@Routed('tables.delete_row', {
  stream: 'tablerow',
  input: { type: 'object', required: ['table'], properties: { table: text, row_id: text, identity: text } },
})
export class DeleteTableRow extends CallerCommand<RowToDelete, { deleted: boolean; row_id: string }> {}
