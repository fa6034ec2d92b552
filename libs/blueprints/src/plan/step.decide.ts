import { canonicalJson } from '@aos/kernel';
import {
  differingFields,
  newRecord,
  nextRecord,
  team,
  type AnyRecord,
  type DefinitionEvent,
  type Doing,
} from '@aos/definitions/published';
import type { AnyWire, ResourceKind } from '../resources/resource-kind.state.js';
import type { Step } from './plan.state.js';

export type AnyDefinitionEvent = DefinitionEvent<AnyWire>;

/** The resource a step creates, bound from its first event on: team-owned and visible in its organization (rule A26). */
export function createdRecord(step: Step, orgId: string, doing: Doing): AnyRecord {
  const custody = { owner: team, visibility: 'organization' as const, members: [] };
  const record = newRecord({ id: step.id, orgId, type: step.resource.type, custody, wire: step.wire }, doing);
  return { ...record, binding: step.binding, protected: step.isProtected };
}

/** What a step writes to a resource that exists, in one append; nothing when it is as it should be. */
export function stepEvents(
  { resource, wire, binding, isProtected }: Step,
  record: AnyRecord,
  doing: Doing,
): AnyDefinitionEvent[] {
  const events: AnyDefinitionEvent[] = [];
  let current = record;
  if (differingFields(current.wire, wire).length > 0) {
    current = nextRecord(current, { wire }, doing);
    events.push(resource.kind.changed(current));
  }
  if (canonicalJson(current.binding) !== canonicalJson(binding)) {
    current = nextRecord(current, { binding }, doing);
    events.push({ type: 'BindingAttached', data: { record: current } });
  }
  return [...events, ...protectionEvents(current, isProtected, doing)];
}

export function protectionEvents(record: AnyRecord, isProtected: boolean, doing: Doing): AnyDefinitionEvent[] {
  if (record.protected === isProtected) return [];
  return [{ type: 'ProtectionSet', data: { record: nextRecord(record, { protected: isProtected }, doing) } }];
}

/** Deletes a resource; its binding stays in the last record, for those who look back. */
export function deletionEvents(resource: ResourceKind, record: AnyRecord, doing: Doing): AnyDefinitionEvent[] {
  return [resource.kind.deleted(nextRecord(record, { deleted_at: doing.at }, doing))];
}

/** Lets a resource go: nobody manages or protects it from then on. */
export function releaseEvents(record: AnyRecord, doing: Doing): AnyDefinitionEvent[] {
  return [
    { type: 'BindingDetached', data: { record: nextRecord(record, { binding: null, protected: false }, doing) } },
  ];
}

/** Whether a step writes anything. */
export function isDue(step: Step): boolean {
  const { current, wire, binding, isProtected } = step;
  if (!current) return true;
  return (
    current.protected !== isProtected ||
    canonicalJson(current.binding) !== canonicalJson(binding) ||
    differingFields(current.wire, wire).length > 0
  );
}
