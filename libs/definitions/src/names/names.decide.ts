import type { DefinitionRecord, Named } from '../definition/definition.events.js';
import { requireUnmoved } from '../definition/judged.decide.js';
import type { NameClaimed, NameEvent, RefClaimed, RefEvent } from './names.events.js';
import type { NameState, RefState } from './names.state.js';

/** A claim's holder as its own stream shows it; null when that stream has no events. */
export interface Holder {
  record: DefinitionRecord<Named>;
  revision: number;
}

/** Claim status: what a request that finds a name claim has to do about it. */
export type ClaimStatus = 'free' | 'create_unfinished' | 'rename_unfinished' | 'taken';

/**
 * Judges a name claim against its holder.
 *
 * Takes    the claim's state and the holder's newest record.
 * Gives    free: no resource has it, or the holder is deleted or has another name for good; unfinished: the claim is to
 *          be carried out before anything else; taken: a live resource has the name.
 * Source   ARCHITECTURE.md section 3.
 */
export function claimStatus(state: NameState, holder: Holder | null): ClaimStatus {
  const { held: claimed } = state;
  if (!claimed) return 'free';
  if (!holder) return claimed.claim.purpose === 'create' ? 'create_unfinished' : 'free';
  if (holder.record.deleted_at !== null) return 'free';
  if (holder.record.wire.name === claimed.name) return 'taken';
  const pending = claimed.claim.purpose === 'rename' && claimed.claim.at_revision === holder.revision;
  return pending ? 'rename_unfinished' : 'free';
}

/** Claims a name that was judged free at a revision of its stream; throws `Moved` when it has another by now. */
export function claimName(
  { claimed, revision: judged }: { claimed: NameClaimed; revision: number },
  _state: NameState,
  revision: number,
): NameEvent[] {
  requireUnmoved(judged, revision);
  return [{ type: 'NameClaimed', data: claimed }];
}

/** Gives a name up, unless another resource has it by now. */
export function releaseName({ resourceId }: { resourceId: string }, { held: claimed }: NameState): NameEvent[] {
  return claimed?.resource_id === resourceId
    ? [{ type: 'NameReleased', data: { org_id: claimed.org_id, resource_id: resourceId } }]
    : [];
}

export type RefClaimStatus = 'free' | 'create_unfinished' | 'change_unfinished' | 'taken';

/**
 * Judges a reference claim against its holder. A deleted resource keeps its reference (rule R16); a reference that its
 * holder can never have (it has another, or was deleted without one) is free.
 */
export function refClaimStatus(state: RefState, holder: Holder | null): RefClaimStatus {
  const { held: claimed } = state;
  if (!claimed) return 'free';
  if (!holder) return claimed.creating_name === null ? 'free' : 'create_unfinished';
  const current = holder.record.wire.external_ref;
  if (current === claimed.external_ref) return 'taken';
  return current === undefined && holder.record.deleted_at === null ? 'change_unfinished' : 'free';
}

/** As `claimName`, for a reference. */
export function claimRef(
  { claimed, revision: judged }: { claimed: RefClaimed; revision: number },
  _state: RefState,
  revision: number,
): RefEvent[] {
  requireUnmoved(judged, revision);
  return [{ type: 'RefClaimed', data: claimed }];
}

/** Gives a reference up, unless another resource has it by now. */
export function releaseRef({ resourceId }: { resourceId: string }, { held: claimed }: RefState): RefEvent[] {
  return claimed?.resource_id === resourceId
    ? [{ type: 'RefReleased', data: { org_id: claimed.org_id, resource_id: resourceId } }]
    : [];
}
