import { canonicalJson, collection, type IndexValue, type ReadRow } from '@aos/kernel';
import type { Binding, DefinitionRecord, Named } from './definition.events.js';
import type { DefinitionEvent, DefinitionKind, DefinitionState } from './definition.state.js';

/** Lists of a definition type: one row per live resource, holding its record. Shaped for `WriterProjections`. */
export type DefinitionProjection<D extends Named, E extends DefinitionEvent<D>> = {
  name: string;
  version: number;
  kind: DefinitionKind<D, E>;
  rows(projected: { state: DefinitionState<D>; id: string; revision: number }): ReadRow[];
};

/**
 * Takes    the projection's name and version, the kind of stream, and the type's own indexes.
 * Gives    rows found by `id`, `created` (creation order), `name`, `owner`, `binding` (see `bindingWord`) and those.
 */
export function definitionProjection<D extends Named, E extends DefinitionEvent<D>>(
  name: string,
  version: number,
  kind: DefinitionKind<D, E>,
  indexes: (record: DefinitionRecord<D>) => Record<string, IndexValue>,
): DefinitionProjection<D, E> {
  const records = collection<DefinitionRecord<D>>({ name, version });
  return {
    name,
    version,
    kind,
    rows({ state: { record }, revision }) {
      if (!record) return [];
      const row = { scope: [record.org_id], key: record.id, revision };
      if (record.deleted_at !== null) return [records.row({ ...row, doc: null, index: {} })];
      const index = {
        id: record.id,
        created: createdKey(record),
        name: record.wire.name,
        owner: record.owner.id ?? '',
        binding: bindingWords(record.binding),
        ...indexes(record),
      };
      return [records.row({ ...row, doc: record, index })];
    },
  };
}

/** Text that sorts by creation; the id breaks ties. */
export function createdKey(record: Pick<DefinitionRecord<unknown>, 'created_at' | 'id'>): string {
  return `${record.created_at} ${record.id}`;
}

/**
 * A word by which resources are found that blueprints bind: all of them, those of a namespace, of a blueprint key, or
 * of a reference to a namespace and a local key (rules B10, B26).
 */
export function bindingWord(
  by:
    { namespace: string } | { blueprintKey: string } | { referred: { namespace: string | null; key: string } } | 'any',
): string {
  if (by === 'any') return 'any';
  if ('namespace' in by) return `n:${by.namespace}`;
  if ('blueprintKey' in by) return `b:${by.blueprintKey}`;
  return `r:${canonicalJson([by.referred.namespace, by.referred.key])}`;
}

function bindingWords(binding: Binding | null): string[] {
  if (!binding) return [];
  const { namespace, blueprint_key: blueprintKey, key } = binding;
  return [
    bindingWord('any'),
    bindingWord({ referred: { namespace, key } }),
    ...(namespace === null ? [] : [bindingWord({ namespace })]),
    ...(blueprintKey === null ? [] : [bindingWord({ blueprintKey })]),
  ];
}
