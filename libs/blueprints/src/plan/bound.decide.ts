import { differingFields, type AnyKind, type AnyRecord, type ChangeStamp } from '@aos/definitions/published';
import { belongsTo, type BlueprintIdentity } from '../blueprint/blueprint.state.js';
import type { Step } from './plan.state.js';
import { deletionEvents, protectionEvents, releaseEvents, stepEvents, type AnyDefinitionEvent } from './step.decide.js';

/** A resource moved between plan and write: the plan is made anew. */
export class PlanMoved extends Error {}

/**
 * Carries a step out on the record that was planned with; throws `PlanMoved` on any other. The version alone does not
 * tell: secrets that are sealed anew keep it.
 */
export function carryOut(
  { step, planned, stamp }: { step: Step; planned: AnyRecord; stamp: ChangeStamp },
  record: AnyRecord,
): AnyDefinitionEvent[] {
  if (record.version !== planned.version || differingFields(record.wire, planned.wire).length > 0)
    throw new PlanMoved(step.id);
  return stepEvents(step, record, stamp);
}

/** Protects a resource, or lifts the protection. */
export function protect(
  { isProtected, stamp }: { isProtected: boolean; stamp: ChangeStamp },
  record: AnyRecord,
): AnyDefinitionEvent[] {
  return protectionEvents(record, isProtected, stamp);
}

/** As `protect`, while the blueprint binds the resource. */
export function protectBound(
  { identity, isProtected, stamp }: { identity: BlueprintIdentity; isProtected: boolean; stamp: ChangeStamp },
  record: AnyRecord,
): AnyDefinitionEvent[] {
  return isBound(record, identity) ? protectionEvents(record, isProtected, stamp) : [];
}

/** Deletes a resource while the blueprint binds it. */
export function deleteBound(
  { identity, resource, stamp }: { identity: BlueprintIdentity; resource: AnyKind; stamp: ChangeStamp },
  record: AnyRecord,
): AnyDefinitionEvent[] {
  return isBound(record, identity) ? deletionEvents(resource, record, stamp) : [];
}

/** Lets a resource go while the blueprint binds it. */
export function releaseBound(
  { identity, stamp }: { identity: BlueprintIdentity; stamp: ChangeStamp },
  record: AnyRecord,
): AnyDefinitionEvent[] {
  return isBound(record, identity) ? releaseEvents(record, stamp) : [];
}

function isBound({ binding }: AnyRecord, identity: BlueprintIdentity): boolean {
  return binding !== null && belongsTo(binding, identity);
}
