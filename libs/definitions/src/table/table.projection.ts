import type { Identity, JsonObject } from '@aos/kernel';
import { postureFor } from '../definition/custody.decide.js';
import { definitionProjection } from '../definition/definition.projection.js';
import { tableKind, type TableRecord } from './table.state.js';

export const tablesProjection = definitionProjection('tables', 1, tableKind, () => ({}));

/** A table as the contract shows it to this caller. */
export function tableOnWire(record: TableRecord, who: Pick<Identity, 'principalId'>): JsonObject {
  const { row_indexes: _kept, ...fields } = record.wire;
  return {
    id: record.id,
    ...(structuredClone(fields) as JsonObject),
    owner: { ...record.owner },
    visibility: record.visibility,
    container: null,
    posture: postureFor(record, who),
    created_by: record.created_by,
    updated_by: record.updated_by,
    created_at: record.created_at,
    updated_at: record.updated_at,
  };
}
