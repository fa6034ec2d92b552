import { upcastRecorded } from '@aos/kernel';
import type { AuditFact, AuditMapping } from '@aos/access/published';
import type { AnyRecord } from '../definition/definition.events.js';
import type { DefinitionEvent } from '../definition/definition.state.js';
import type { AnyKind } from './resource-kind.js';
import { resourceKinds } from './resource-kinds.js';

type AnyDefinitionEvent = DefinitionEvent<AnyRecord['wire']>;

/**
 * Audit entries of agents, skills, actions and tables: created, changed and deleted, bound and released, protected
 * (control S34).
 */
export const resourceAudits: readonly AuditMapping[] = resourceKinds.map((resource) => ({
  prefix: `${resource.type}-`,
  facts: (event): AuditFact[] => factsOf(resource, upcastRecorded(resource.kind.events, event) as AnyDefinitionEvent),
}));

function factsOf({ type, audit = {} }: AnyKind, { type: fact, data }: AnyDefinitionEvent): AuditFact[] {
  const { record } = data;
  const resource = { type, id: record.id, name: record.wire.name };
  const after = record;
  const own = audit[fact];
  if (own === null) return [];
  if (record.deleted_at !== null) return [{ action: `${type}.deleted`, resource, after: null }];
  if (own) return [{ ...own, resource, after }];
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
    default:
      return [
        { action: `${type}.${fact.endsWith('Created') ? 'created' : 'updated'}`, resource, after },
        ...(record.version === 1 && record.protected
          ? [{ action: `${type}.protected`, resource, changedFields: ['protected'], after }]
          : []),
      ];
  }
}
