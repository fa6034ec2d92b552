import type { Schema } from '@aos/contract';
import { collection, type Identity } from '@aos/kernel';
import { custodyWire } from '../definition/custody.wire.js';
import { definitionProjection } from '../definition/definition.projection.js';
import type { CatalogAction } from '../grants/catalog-action.wire.js';
import { actionKind, type ActionRecord } from './action.state.js';

export const actionsProjection = definitionProjection('actions', 1, actionKind, () => ({}));

export const actionRecords = collection<ActionRecord>(actionsProjection);

/** What is shown of an action's fields: all but its secrets. */
function shown({ wire }: ActionRecord) {
  const { signing: _kept, ...fields } = wire;
  return fields;
}

/** An action as the contract shows it to this caller. */
export function customActionWire(record: ActionRecord, who: Pick<Identity, 'principalId'>): Schema<'Action'> {
  return {
    id: record.id,
    ...shown(record),
    ...custodyWire(record, who),
    created_at: record.created_at,
    updated_at: record.updated_at,
  };
}

/** An action as the catalog lists it (rule R40). */
export function catalogEntryOf(record: ActionRecord): CatalogAction {
  const {
    title,
    description,
    endpoint_kind: kind,
    endpoint_url: url,
    provider,
    invocation_format: format,
    input_schema: input,
    output_schema: output,
    annotations,
  } = record.wire;
  const location = kind === 'worker' ? 'worker' : 'managed';
  return {
    id: record.id,
    name: record.wire.name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    endpoint_kind: kind,
    source: 'custom',
    definition_scope: 'custom',
    readiness: 'ready',
    risk: annotations.destructive ? 'high' : annotations.read_only ? 'low' : 'medium',
    annotations: { ...annotations },
    ...(input === undefined ? {} : { input_schema: input }),
    ...(output === undefined ? {} : { output_schema: output }),
    ...(url === undefined ? {} : { endpoint_url: url }),
    ...(provider === undefined ? {} : { provider }),
    invocation_format: format,
    execution: { supported_locations: [location], default_location: location },
    owner: { ...record.owner },
    visibility: record.visibility === 'private' ? 'private' : 'organization',
  };
}
