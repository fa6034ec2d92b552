import { canonicalJson } from '@aos/kernel';
import {
  differingFields,
  newRecord,
  nextRecord,
  team,
  type AnyKind,
  type AnyRecord,
  type DefinitionEvent,
  type ChangeStamp,
} from '@aos/definitions/published';
import type { Step } from './plan.state.js';

export type AnyDefinitionEvent = DefinitionEvent<AnyRecord['wire']>;

/**
 * The resource a step creates, bound from its first event on: team-owned and visible in its organization (rule A26).
 */
export function createdRecord(step: Step, orgId: string, stamp: ChangeStamp): AnyRecord {
  const custody = { owner: team, visibility: 'organization' as const, members: [] };
  const record = newRecord({ id: step.id, orgId, type: step.resource.type, custody, wire: step.wire }, stamp);
  return { ...record, binding: step.binding, protected: step.isProtected };
}

/** Events of a step for a resource that exists, in one append; none when the resource already is as asked. */
export function stepEvents(
  { resource, wire, binding, isProtected }: Step,
  record: AnyRecord,
  stamp: ChangeStamp,
): AnyDefinitionEvent[] {
  const events: AnyDefinitionEvent[] = [];
  let current = record;
  if (differingFields(current.wire, wire).length > 0) {
    current = nextRecord(current, { wire }, stamp);
    events.push(resource.kind.changed(current));
  }
  if (canonicalJson(current.binding) !== canonicalJson(binding)) {
    current = nextRecord(current, { binding }, stamp);
    events.push({ type: 'BindingAttached', data: { record: current } });
  }
  return [...events, ...protectionEvents(current, isProtected, stamp)];
}

export function protectionEvents(record: AnyRecord, isProtected: boolean, stamp: ChangeStamp): AnyDefinitionEvent[] {
  if (record.protected === isProtected) return [];
  return [{ type: 'ProtectionSet', data: { record: nextRecord(record, { protected: isProtected }, stamp) } }];
}

/** Deletes a resource; its last record keeps the binding, so that readers of the past can see it. */
export function deletionEvents(resource: AnyKind, record: AnyRecord, stamp: ChangeStamp): AnyDefinitionEvent[] {
  return [resource.kind.deleted(nextRecord(record, { deleted_at: stamp.at }, stamp))];
}

/** Lets a resource go: it loses its binding and its protection. */
export function releaseEvents(record: AnyRecord, stamp: ChangeStamp): AnyDefinitionEvent[] {
  return [
    { type: 'BindingDetached', data: { record: nextRecord(record, { binding: null, protected: false }, stamp) } },
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
