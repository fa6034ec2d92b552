import {
  Refusal,
  changeIdOf,
  isDone,
  notFound,
  requireConfirmed,
  requireCustodian,
  wantedOwner,
  type CustodyCommand,
  type Identity,
} from '@aos/kernel';
import type { SessionEvent } from './session.events.js';
import type { SessionState } from './session.state.js';

/**
 * Changes owner or audience of a session: of one's own, and of the team's for an administrator.
 *
 * Gives    one event, or none when nothing differs; by a disposition one event, once for each change.
 * Refuses  not_found for another person's session; conflict {reason: container} for leaving its agent; invalid_argument
 *          {argument: visibility}, {argument: owner}; visibility_change_unconfirmed.
 * Source   rules TE10, TE11, A25, A28.
 */
export function changeSessionCustody(
  {
    wanted,
    basis,
    caller,
    now,
  }: CustodyCommand & { caller: Pick<Identity, 'principalId' | 'permissions'>; now: string },
  { opening, status }: SessionState,
): SessionEvent[] {
  if (!opening || status === 'deleted') throw notFound('session');
  if (isDone(opening.custody_changes, basis)) return [];
  const isOwn = opening.owner.kind === 'person' && opening.owner.id === caller.principalId;
  const isTeams = opening.owner.kind === 'team' && caller.permissions.has('svc.org.admin');
  if (!isOwn && !isTeams) throw notFound('session');
  if (wanted.detach === true) throw new Refusal('conflict', { reason: 'container' }, 'a session stays with its agent');
  const owner = wantedOwner(wanted.owner) ?? opening.owner;
  const visibility = wanted.visibility ?? opening.visibility;
  requireCustodian(owner, visibility);
  requireConfirmed(opening, wanted);
  const isSame =
    owner.id === opening.owner.id && owner.kind === opening.owner.kind && visibility === opening.visibility;
  const changeId = changeIdOf(basis);
  if (isSame && changeId === null) return [];
  return [{ type: 'CustodyChanged', data: { owner, visibility, change_id: changeId, at: now } }];
}
