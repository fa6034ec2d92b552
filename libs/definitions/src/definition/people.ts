import { Injectable } from '@nestjs/common';
import { badRequest, invalidArgument, type Identity, type PrincipalKind, type WantedOwner } from '@aos/kernel';
import { membersMax } from './definition.limits.js';

/** What is asked about principals: the access context answers. */
export abstract class Principals {
  /** Kind of a live principal of this organization, or null. */
  abstract kindOf(orgId: string, principalId: string): Promise<PrincipalKind | null>;
  /** The live principal as this caller finds it: null for that of an agent out of reach. */
  abstract findFor(who: Identity, principalId: string): Promise<object | null>;
}

/** The people whom a body names exist. */
@Injectable()
export class People {
  constructor(private readonly principals: Principals) {}

  /**
   * Takes    owner and members of a body, and the members that the resource has.
   * Refuses  invalid_argument {argument: owner} for an owner who is no person of the organization; {argument: members}
   *          for a member who is no principal of it, and for a new one that is none to the caller; bad_request for more
   *          members than there may be.
   */
  async require(
    who: Identity,
    {
      owner,
      members = [],
      had = [],
    }: { owner?: WantedOwner | undefined; members?: readonly string[] | undefined; had?: readonly string[] },
  ): Promise<void> {
    if (owner?.kind === 'person' && owner.id && !(who.kind === 'human' && owner.id === who.principalId)) {
      if ((await this.principals.kindOf(who.orgId, owner.id)) !== 'human')
        throw invalidArgument('owner', 'no such person', { reason: 'unknown_person' });
    }
    if (members.length > membersMax) throw badRequest([{ path: '/members', message: `at most ${membersMax} members` }]);
    const found = await Promise.all(
      members.map((member) =>
        had.includes(member) ? this.principals.kindOf(who.orgId, member) : this.principals.findFor(who, member),
      ),
    );
    const unknown = members.find((_member, index) => found[index] === null);
    if (unknown !== undefined)
      throw invalidArgument('members', 'no such principal', { reason: 'unknown_principal', principal_id: unknown });
  }
}
