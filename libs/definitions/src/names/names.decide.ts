import type { AnyRecord } from '../definition/definition.events.js';
import type { NameEvent, RefEvent } from './names.events.js';
import type { NameState, RefState } from './names.state.js';

/** A claim's holder as its own stream shows it; null when that stream has no events. */
export interface Holder {
  record: AnyRecord;
  revision: number;
}

/** What the next one to meet a name claim has to do about it. */
export type NameStanding = 'free' | 'create_unfinished' | 'rename_unfinished' | 'borne';

/**
 * Judges a name claim against its holder.
 *
 * Takes    the claim's state and the holder's newest record.
 * Gives    free: nobody holds it, or the holder is deleted or bears another name for good; unfinished: the claim is to be carried out before
 *          anything else; borne: a live resource has the name.
 * Source   ARCHITECTURE.md section 3.
 */
export function nameStanding(state: NameState, holder: Holder | null): NameStanding {
  const { held } = state;
  if (!held) return 'free';
  if (!holder) return held.claim.purpose === 'create' ? 'create_unfinished' : 'free';
  if (holder.record.deleted_at !== null) return 'free';
  if (holder.record.wire.name === held.name) return 'borne';
  const pending = held.claim.purpose === 'rename' && held.claim.at_revision === holder.revision;
  return pending ? 'rename_unfinished' : 'free';
}

/** Gives a name up, unless it has changed hands. */
export function releaseName(resourceId: string, state: NameState): NameEvent[] {
  const { held } = state;
  return held?.resource_id === resourceId
    ? [{ type: 'NameReleased', data: { org_id: held.org_id, resource_id: resourceId } }]
    : [];
}

export type RefStanding = 'free' | 'create_unfinished' | 'change_unfinished' | 'borne';

/**
 * Judges a reference claim against its holder. A deleted resource keeps its reference (rule R16); a reference that its holder can never
 * bear (it bears another, or was deleted without one) is free.
 */
export function refStanding(state: RefState, holder: Holder | null): RefStanding {
  const { held } = state;
  if (!held) return 'free';
  if (!holder) return held.creating_name === null ? 'free' : 'create_unfinished';
  const borne = holder.record.wire.external_ref;
  if (borne === held.external_ref) return 'borne';
  return borne === undefined && holder.record.deleted_at === null ? 'change_unfinished' : 'free';
}

export function releaseRef(resourceId: string, state: RefState): RefEvent[] {
  const { held } = state;
  return held?.resource_id === resourceId
    ? [{ type: 'RefReleased', data: { org_id: held.org_id, resource_id: resourceId } }]
    : [];
}
