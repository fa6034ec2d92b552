import { Injectable } from '@nestjs/common';
import { Refusal, type Identity } from '@aos/kernel';
import { PrincipalReader } from '@aos/access/published';
import { AgentDirectory } from '@aos/definitions/published';

/** The people that agents propose routines to. */
@Injectable()
export class Addressees {
  constructor(
    private readonly agents: AgentDirectory,
    private readonly principals: PrincipalReader,
  ) {}

  /**
   * The person whom an agent's turn acts for, else the agent's owner.
   *
   * Refuses  conflict {reason: no_person} where neither is a person that is active.
   */
  async of({ orgId, principalId, actsFor }: Identity): Promise<string> {
    const agent = await this.agents.agent(orgId, principalId);
    const owner = agent?.owner.kind === 'person' ? agent.owner.id : null;
    const personId = actsFor?.kind === 'human' ? actsFor.principalId : owner;
    const found = personId === null ? null : await this.principals.find(orgId, personId);
    if (found?.status === 'active' && found.principal.kind === 'human') return found.principal.id;
    throw new Refusal('conflict', { reason: 'no_person' }, 'there is no person to propose it to');
  }
}
