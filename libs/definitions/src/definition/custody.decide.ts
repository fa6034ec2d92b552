import {
  Refusal,
  audienceGrows,
  isSoftware,
  notFound,
  requireCustodian,
  wantedOwner,
  type Identity,
  type JsonObject,
  type Owner,
  type Visibility,
  type WantedOwner,
} from '@aos/kernel';
import type { DefinitionRecord } from './definition.events.js';

/** Ownership and audience as the caller sees them (contract, `ResourcePosture`). */
export type Posture = 'only_you' | 'shared_by_you' | 'shared_with_group' | 'team' | 'someone_else';

/** What a record says of its custody. */
export type Custody = Pick<DefinitionRecord<unknown>, 'id' | 'org_id' | 'owner' | 'visibility' | 'members'>;
/** A record whose change is judged; what is out of reach answers by its type, as what is not there does (rule G13). */
export type Judged = Custody & { readonly type: string };
/** What custody is judged by. */
export type Caller = Pick<Identity, 'orgId' | 'principalId' | 'kind' | 'permissions' | 'actsFor'>;

export const team: Owner = { kind: 'team', id: null };

/**
 * Whether a resource is within a caller's reach: the organization's own ones, its owner's, its members', an agent's
 * itself; of the rest an administrator reaches what the team owns. What is private to a person is out of the reach of
 * all others (rule A30). What is out of reach answers exactly like what does not exist (rule G13).
 */
export function canSee(record: Custody, caller: Caller): boolean {
  if (record.org_id !== caller.orgId) return false;
  // an agent sees what its turn's principal sees too (rule A33)
  if (caller.actsFor && !canSee(record, caller.actsFor)) return false;
  if (record.visibility === 'organization') return true;
  if (ownedBy(record, caller) || record.members.includes(caller.principalId) || record.id === caller.principalId)
    return true;
  return record.owner.kind === 'team' && caller.permissions.has('svc.org.admin');
}

export function postureFor(record: Custody, caller: Pick<Caller, 'principalId'>): Posture {
  if (record.owner.kind === 'team') return 'team';
  if (record.owner.id !== caller.principalId) return 'someone_else';
  if (record.visibility === 'organization') return 'shared_by_you';
  return record.members.length > 0 || record.visibility === 'restricted' ? 'shared_with_group' : 'only_you';
}

/**
 * Whether a caller with the build permission may change this resource: its owner, software for what the team owns, an
 * administrator for all within reach.
 *
 * Refuses  not_found for what it cannot see; permission_denied {permission} for what it can.
 * Source   rules AUTH3, AUTH4, A26, G13.
 */
export function requireCustody(record: Judged, caller: Caller): void {
  if (!canSee(record, caller)) throw notFound(record.type);
  if (caller.permissions.has('svc.org.admin') || ownedBy(record, caller)) return;
  if (record.owner.kind === 'team' && isSoftware(caller.kind)) return;
  throw adminOnly('only its owner or an administrator may change this resource');
}

/** As `requireCustody`, asked. */
export function mayChange(record: Custody, caller: Caller): boolean {
  if (!canSee(record, caller)) return false;
  if (caller.permissions.has('svc.org.admin')) return true;
  if (!caller.permissions.has('svc.resource.build')) return false;
  return ownedBy(record, caller) || (record.owner.kind === 'team' && isSoftware(caller.kind));
}

export interface Posted {
  owner: Owner;
  visibility: Visibility;
  members: string[];
}

/**
 * Who owns a new resource and who sees it.
 *
 * Takes    what the body says, and what an absent visibility means for software (agents: private, so that they must
 *          say; others: organization).
 * Refuses  invalid_argument {argument: visibility, reason: human_custodian_required} for a private one without a person
 *          as owner; permission_denied when a person who is no administrator names another owner than itself.
 * Source   rules A25, A26, R11.
 */
export function newCustody(
  wanted: { owner?: WantedOwner | undefined; visibility?: Visibility | undefined; members?: string[] | undefined },
  caller: Caller,
  softwareDefault: Visibility,
): Posted {
  const software = isSoftware(caller.kind);
  const owner = wantedOwner(wanted.owner) ?? (software ? team : { kind: 'person' as const, id: caller.principalId });
  const visibility = wanted.visibility ?? (software ? softwareDefault : 'private');
  requireCustodian(owner, visibility);
  if (!software && !caller.permissions.has('svc.org.admin') && owner.id !== caller.principalId) {
    throw adminOnly('only an administrator may create a resource that somebody else owns');
  }
  return { owner, visibility, members: [...new Set(wanted.members ?? [])] };
}

/**
 * The custody after a change of audience.
 *
 * Refuses  permission_denied when the team owns it and the caller is no administrator (rule A26); invalid_argument as
 *          `newCustody`; visibility_change_unconfirmed when the audience grows without `confirmed`.
 */
export function changedAudience(
  record: Custody,
  wanted: { visibility?: Visibility | undefined; members?: string[] | undefined; confirmed: boolean },
  caller: Caller,
): Posted {
  const visibility = wanted.visibility ?? record.visibility;
  const members = wanted.members ? [...new Set(wanted.members)] : record.members;
  const moved = visibility !== record.visibility || !sameMembers(members, record.members);
  if (!moved) return { owner: record.owner, visibility, members: record.members };
  if (record.owner.kind === 'team' && !caller.permissions.has('svc.org.admin'))
    throw adminOnly('only an administrator may change who reaches it');
  requireCustodian(record.owner, visibility);
  if (audienceGrows(record, visibility) && !wanted.confirmed) {
    throw new Refusal(
      'visibility_change_unconfirmed',
      {
        visibility: record.visibility,
        requested_visibility: visibility,
        member_count: record.members.length,
        requested_member_count: members.length,
      },
      'more people would reach this resource: send confirm_visibility_change',
    );
  }
  return { owner: record.owner, visibility, members };
}

/**
 * The owner that a full body names must be the one there is, or its sender an administrator (rule A26). What another
 * person owns is not taken from them: of one who is gone the ownership operation hands it on (rules A30, TE10).
 */
export function changedOwner(record: Custody, wanted: WantedOwner | undefined, caller: Caller): Owner {
  const owner = wantedOwner(wanted);
  if (!owner || sameOwner(record.owner, owner)) return record.owner;
  if (!caller.permissions.has('svc.org.admin')) throw adminOnly('only an administrator may change the owner');
  if (record.owner.kind === 'person' && !ownedBy(record, caller))
    throw new Refusal(
      'permission_denied',
      { reason: 'owner_active' },
      'only its owner hands it on; of a person who is disabled or gone the ownership operation does',
    );
  return owner;
}

/** The refusal of a bound resource's ordinary change while its blueprint protects it (rule B23). */
export function requireUnprotected(record: Pick<DefinitionRecord<unknown>, 'protected' | 'binding'>): void {
  if (!record.protected) return;
  const details: JsonObject = {};
  if (record.binding?.namespace) details.namespace = record.binding.namespace;
  if (record.binding?.blueprint_key) details.blueprint_key = record.binding.blueprint_key;
  throw new Refusal('blueprint_resource_protected', details, 'a blueprint protects this resource');
}

function ownedBy(record: Custody, caller: Pick<Caller, 'principalId'>): boolean {
  return record.owner.kind === 'person' && record.owner.id === caller.principalId;
}

/** Refuses permission_denied to a caller who is no administrator. */
export function adminOnly(message: string): Refusal {
  return new Refusal('permission_denied', { permission: 'svc.org.admin' }, message);
}

/** Whether the owner that a body names is the present owner. */
export function sameOwner(known: Owner, wanted: WantedOwner | undefined): boolean {
  return wanted !== undefined && wanted.kind === known.kind && (wanted.id ?? null) === known.id;
}

function sameMembers(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((member) => b.includes(member));
}
