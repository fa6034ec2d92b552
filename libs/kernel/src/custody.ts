import type { JsonObject } from './json.js';
import { Refusal, invalidArgument } from './refusal.js';

/** Who answers for a resource: a named person, or the organization's team (contract, `Owner`). */
export type Owner = { kind: 'person' | 'team'; id: string | null };

/** An owner as a body names it: the team needs no id. */
export type WantedOwner = { kind: 'person' | 'team'; id?: string | null };

/** Declared audience. `restricted` is an agent's only. */
export type Visibility = 'private' | 'organization' | 'restricted';

/** A change of custody that is asked for; what is left out stays. `detach`: it leaves the agent that holds it. */
export type WantedCustody = {
  owner?: WantedOwner;
  visibility?: 'private' | 'organization';
  detach?: boolean;
  confirmed: boolean;
};

/**
 * Why custody changes. `transfer`: by the ownership operation; an owner who is disabled or gone holds nothing back.
 * `disposition`: with the audience of an agent, once for each change of that.
 */
export type CustodyBasis = { kind: 'transfer'; owner_is_gone: boolean } | { kind: 'disposition'; change_id: string };

export type CustodyCommand = { wanted: WantedCustody; basis: CustodyBasis };

/** JSON schema of a `CustodyCommand`, for commands that carry one to another service. */
export const custodyCommandSchema = {
  type: 'object',
  required: ['wanted', 'basis'],
  properties: {
    wanted: {
      type: 'object',
      required: ['confirmed'],
      properties: {
        owner: { type: 'object', required: ['kind'] },
        visibility: { enum: ['private', 'organization'] },
        detach: { type: 'boolean' },
        confirmed: { type: 'boolean' },
      },
    },
    basis: { type: 'object', required: ['kind'], properties: { kind: { enum: ['transfer', 'disposition'] } } },
  },
};

/** Changes of agents' audiences that a resource remembers to have been concerned by. */
const doneMax = 16;

/** Whether a disposition of this change was carried out before. */
export function isDone(done: readonly string[] | undefined, basis: CustodyBasis): boolean {
  return basis.kind === 'disposition' && (done ?? []).includes(basis.change_id);
}

/** The changes whose disposition was carried out, the newest ones, after one more. */
export function doneAfter(done: readonly string[] | undefined, changeId: string | null): string[] {
  return changeId === null ? [...(done ?? [])] : [...(done ?? []), changeId].slice(-doneMax);
}

/** The change that a basis belongs to; null for none. */
export function changeIdOf(basis: CustodyBasis): string | null {
  return basis.kind === 'disposition' ? basis.change_id : null;
}

const reachRank: Readonly<Record<Visibility, number>> = { private: 0, restricted: 1, organization: 2 };

/** Whether a change to this visibility needs a confirmation. */
export function audienceGrows(record: { visibility: Visibility }, visibility: Visibility): boolean {
  return reachRank[visibility] > reachRank[record.visibility];
}

/** Refuses visibility_change_unconfirmed when the audience grows without a confirmation (rule TE10). */
export function requireConfirmed(
  record: { visibility: Visibility; members?: readonly string[] },
  { visibility: wanted, confirmed }: Pick<WantedCustody, 'visibility' | 'confirmed'>,
): void {
  const visibility = wanted ?? record.visibility;
  if (!audienceGrows(record, visibility) || confirmed) return;
  const count = record.members?.length ?? 0;
  const details: JsonObject = {
    visibility: record.visibility,
    requested_visibility: visibility,
    member_count: count,
    requested_member_count: count,
  };
  throw new Refusal(
    'visibility_change_unconfirmed',
    details,
    'more people would reach this resource: send confirm_audience_expansion',
  );
}

/** The owner that a body names; null when it names none. Refuses invalid_argument {argument: owner}. */
export function wantedOwner(owner: WantedOwner | undefined): Owner | null {
  if (!owner) return null;
  if (owner.kind === 'team') {
    if (owner.id) throw invalidArgument('owner', 'the team has no id');
    return { kind: 'team', id: null };
  }
  if (!owner.id) throw invalidArgument('owner', 'a person as owner needs an id');
  return { kind: 'person', id: owner.id };
}

/** A private resource needs a person who answers for it (rule A25). */
export function requireCustodian(owner: Owner, visibility: Visibility): void {
  if (visibility !== 'private' || owner.kind === 'person') return;
  throw invalidArgument(
    'visibility',
    'a private resource needs a person as its owner: send visibility "organization", or a person as owner',
    { reason: 'human_custodian_required' },
  );
}
