import type { IndexValue, JsonObject, ReadRow } from '@aos/kernel';
import type { DefinitionRecord, Named } from './definition.events.js';
import type { DefinitionEvent, DefinitionKind, DefinitionState } from './definition.state.js';

/** Lists of a definition type: one row per live resource, holding its record. Shaped for `WriterProjections`. */
export interface DefinitionProjection<D extends Named, E extends DefinitionEvent<D>> {
  name: string;
  version: number;
  kind: DefinitionKind<D, E>;
  rows(projected: { state: DefinitionState<D>; id: string; revision: number }): ReadRow[];
}

/**
 * Takes    the projection's name and version, the kind of stream, and the type's own indexes.
 * Gives    rows found by `id`, `created` (creation order), `name`, `owner` and those.
 */
export function definitionProjection<D extends Named, E extends DefinitionEvent<D>>(
  name: string, version: number, kind: DefinitionKind<D, E>, indexes: (record: DefinitionRecord<D>) => Record<string, IndexValue>,
): DefinitionProjection<D, E> {
  return {
    name,
    version,
    kind,
    rows({ state: { record }, revision }) {
      if (!record) return [];
      const row = { collection: `${name}@${version}`, scope: [record.org_id], key: record.id, revision };
      if (record.deleted_at !== null) return [{ ...row, doc: null, index: {} }];
      const index = { id: record.id, created: createdKey(record), name: record.wire.name, owner: record.owner.id ?? '', ...indexes(record) };
      return [{ ...row, doc: record as unknown as JsonObject, index }];
    },
  };
}

/** Text that sorts by creation; the id breaks ties. */
export function createdKey(record: Pick<DefinitionRecord<unknown>, 'created_at' | 'id'>): string {
  return `${record.created_at} ${record.id}`;
}
