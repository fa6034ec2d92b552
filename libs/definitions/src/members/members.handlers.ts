import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Schema } from '@aos/contract';
import { Clock, notFound, rfc3339, type Identity } from '@aos/kernel';
import { PrincipalReader } from '@aos/access/published';
import { CallerCommand } from '@aos/platform';
import { agentDecider } from '../agent.decider.js';
import { agentKind } from '../agent/agent.state.js';
import { requireCustody } from '../definition/custody.decide.js';
import { DefinitionStreams } from '../definition/definition-streams.js';
import { DefinitionWriter } from '../names/definition-writer.js';
import { MemberQueries } from './members.queries.js';

/** The whole list of an agent's members, or those to add, or those to take off. */
export class ChangeMembers extends CallerCommand<
  { agent_id: string; members: readonly string[] | { add: readonly string[]; remove: readonly string[] } },
  Schema<'AgentMemberListResponse'>
> {}

@CommandHandler(ChangeMembers)
export class ChangeMembersHandler implements ICommandHandler<ChangeMembers> {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly writer: DefinitionWriter,
    private readonly principals: PrincipalReader,
    private readonly queries: MemberQueries,
    private readonly clock: Clock,
  ) {}

  /** Refuses not_found for an id that is no principal within the caller's reach; what the decide function refuses. */
  async execute({ who, input: { agent_id: agentId, members } }: ChangeMembers) {
    const agent = await this.streams.visible(agentKind, who, agentId);
    requireCustody(agent, who);
    const named = 'add' in members ? [...members.add, ...members.remove] : members;
    await this.requirePrincipals(
      who,
      named.filter((id) => !agent.members.includes(id)),
    );
    const command = { who, at: rfc3339(this.clock.now()), members };
    const { record } = await this.writer.decide(agentDecider.changeMembers, who, agentId, command);
    return this.queries.wire(who, record);
  }

  private async requirePrincipals(who: Identity, ids: readonly string[]): Promise<void> {
    for (const id of ids) if (!(await this.principals.findFor(who, id))) throw notFound('principal');
  }
}
