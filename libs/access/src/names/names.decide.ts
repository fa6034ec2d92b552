import type { Actor } from '@aos/platform';
import type { ClaimedBy, NameEvent } from './name.events.js';
import type { NameState } from './name.state.js';

export type NameHolder = NonNullable<NameState['holder']>;
/** What a claim says; see `NameClaimed`. */
export type ClaimedName = Extract<NameEvent, { type: 'NameClaimed' }>['data'];
export type ReleasedName = Extract<NameEvent, { type: 'NameReleased' }>['data'];

/** Another resource holds the name. No refusal: whether that resource is live is not known here. */
export class NameTaken extends Error {
  constructor(readonly holder: NameHolder) {
    super('the name is taken');
  }
}

export function claimedBy({ principalId, principalKind, apiKeyId, ip, requestId }: Actor): ClaimedBy {
  return { principal_id: principalId, principal_kind: principalKind, api_key_id: apiKeyId, ip, request_id: requestId };
}

/**
 * Claims a name for a resource.
 *
 * Takes    the claim, and the revision of the claim that it takes over; null when it takes over none.
 * Gives    NameClaimed; no event when the resource holds the name.
 * Refuses  with `NameTaken` while another claim holds the name.
 */
export function claimName(
  { claim, over }: { claim: ClaimedName; over: number | null },
  { holder }: NameState,
): NameEvent[] {
  if (holder?.resourceId === claim.resource_id) return [];
  if (holder && holder.claimRevision !== over) throw new NameTaken(holder);
  return [{ type: 'NameClaimed', data: claim }];
}

/** Claims a name that has one holder for ever; no event when it has one. */
export function claimOnce(claim: ClaimedName, { holder }: NameState): NameEvent[] {
  return holder ? [] : [{ type: 'NameClaimed', data: claim }];
}

/** Releases a name; no event when another resource holds it by now. */
export function releaseName(released: ReleasedName, { holder }: NameState): NameEvent[] {
  return holder?.resourceId === released.resource_id ? [{ type: 'NameReleased', data: released }] : [];
}
