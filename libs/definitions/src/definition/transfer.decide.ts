import { Refusal, notFound, requireConfirmed, requireCustodian, wantedOwner, type CustodyCommand } from '@aos/kernel';
import {
  canSee,
  changedAudience,
  requireCustody,
  type Caller,
  type Custody,
  type Judged,
  type Posted,
} from './custody.decide.js';

/**
 * Owner and audience after a change that is judged as its basis says.
 *
 * Refuses  not_found for what is out of the caller's reach, and by a disposition for what is out of its custody;
 *          permission_denied {reason: owner_active} for a visible thing of a person who is there; invalid_argument
 *          {argument: visibility}, {argument: owner}; visibility_change_unconfirmed.
 * Source   rules TE10, TE11, A25, A30.
 */
export function custodyAfter(record: Judged, { wanted, basis }: CustodyCommand, caller: Caller): Posted {
  if (basis.kind === 'disposition') return disposed(record, wanted, caller);
  requireTransferable(record, caller, basis.owner_is_gone);
  const owner = wantedOwner(wanted.owner) ?? record.owner;
  const visibility = wanted.visibility ?? record.visibility;
  requireCustodian(owner, visibility);
  requireConfirmed(record, wanted);
  return { owner, visibility, members: record.members };
}

/** A thing is handed on by its owner, by an administrator for the team, and when its owner is disabled or gone. */
function requireTransferable(record: Judged, caller: Caller, ownerIsGone: boolean): void {
  if (record.org_id !== caller.orgId) throw notFound(record.type);
  if (ownerIsGone) return;
  if (!canSee(record, caller)) throw notFound(record.type);
  if (record.owner.kind === 'team' || record.owner.id === caller.principalId) return;
  throw new Refusal(
    'permission_denied',
    { reason: 'owner_active' },
    'only its owner hands it on, until that person is disabled or gone',
  );
}

/** As a change by its custodian; what is out of the caller's custody answers as what is not there. */
function disposed(record: Judged, { visibility }: CustodyCommand['wanted'], caller: Caller): Posted {
  try {
    requireCustody(record, caller);
    return changedAudience(record, { visibility, confirmed: true }, caller);
  } catch (error) {
    throw error instanceof Refusal && error.code === 'permission_denied' ? notFound(record.type) : error;
  }
}

/** Whether a change of custody takes reach from anybody: from the organization, or from members that are dropped. */
export function narrows(before: Custody, after: Custody): boolean {
  if (after.visibility === 'organization') return false;
  return before.visibility === 'organization' || before.members.some((id) => !after.members.includes(id));
}
