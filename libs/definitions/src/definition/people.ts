import { Injectable } from '@nestjs/common';
import { badRequest, invalidArgument, type Identity, type PrincipalKind, type WantedOwner } from '@aos/kernel';
import { membersMax } from './definition.limits.js';

/** What is asked about principals: the access context answers. */
export abstract class Principals {
  /** Kind of a live principal of this organization, or null. */
  abstract kindOf(orgId: string, principalId: string): Promise<PrincipalKind | null>;
}

/** The people whom a body names exist. */
@Injectable()
export class People {
  constructor(private readonly principals: Principals) {}

  /**
   * Refuses  invalid_argument {argument: owner} for an owner who is no person of the organization; {argument: members}
   *          for a member who is no principal of it; bad_request for more members than there may be.
   */
  async require(
    who: Identity,
    { owner, members = [] }: { owner?: WantedOwner | undefined; members?: readonly string[] | undefined },
  ): Promise<void> {
    if (owner?.kind === 'person' && owner.id && !(who.kind === 'human' && owner.id === who.principalId)) {
      if ((await this.principals.kindOf(who.orgId, owner.id)) !== 'human')
        throw invalidArgument('owner', 'no such person', { reason: 'unknown_person' });
    }
    if (members.length > membersMax) throw badRequest([{ path: '/members', message: `at most ${membersMax} members` }]);
    const kinds = await Promise.all(members.map((member) => this.principals.kindOf(who.orgId, member)));
    const unknown = members.find((_member, index) => kinds[index] === null);
    if (unknown !== undefined)
      throw invalidArgument('members', 'no such principal', { reason: 'unknown_principal', principal_id: unknown });
  }
}
