import { upcastRecorded } from '@aos/kernel';
import type { AuditFact, AuditMapping } from '@aos/access/published';
import type { DefinitionEvent } from '@aos/definitions/published';
import { resourceKinds } from '../resources/resource-kinds.js';
import type { AnyWire, ResourceKind } from '../resources/resource-kind.state.js';

/**
 * Audit entries of agents, skills, actions and tables: created, changed and deleted, bound and released, protected
 * (control S34).
 */
export const definitionAudits: readonly AuditMapping[] = resourceKinds.map((resource) => ({
  prefix: `${resource.type}-`,
  facts: (event): AuditFact[] =>
    factsOf(resource, upcastRecorded(resource.kind.events, event) as DefinitionEvent<AnyWire>),
}));

function factsOf({ type }: ResourceKind, { type: fact, data }: DefinitionEvent<AnyWire>): AuditFact[] {
  const { record } = data;
  const resource = { type, id: record.id, name: record.wire.name };
  const after = record;
  if (fact === 'TableEmptied') return []; // the deletion of the table has an entry of its own
  if (fact === 'ActionSecretResealed') return []; // the secret is the same
  if (record.deleted_at !== null) return [{ action: `${type}.deleted`, resource, after: null }];
  switch (fact) {
    case 'ProtectionSet':
      return [
        {
          action: `${type}.${record.protected ? 'protected' : 'unprotected'}`,
          resource,
          changedFields: ['protected'],
          after,
        },
      ];
    case 'BindingDetached':
      return [{ action: `${type}.unbound`, resource, changedFields: ['binding', 'protected'], after }];
    case 'BindingAttached':
      return [{ action: `${type}.bound`, resource, changedFields: ['binding'], after }];
    case 'ActionSecretRotated':
      return [{ action: 'action.secret_rotated', resource, changedFields: ['signing_secret'], after }];
    default:
      return [
        { action: `${type}.${fact.endsWith('Created') ? 'created' : 'updated'}`, resource, after },
        ...(record.version === 1 && record.protected
          ? [{ action: `${type}.protected`, resource, changedFields: ['protected'], after }]
          : []),
      ];
  }
}
