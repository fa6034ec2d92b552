import { Injectable } from '@nestjs/common';
import type { Reply } from '@aos/contract';
import { collectionOf, notFound, type Identity } from '@aos/kernel';
import { Projectors } from '@aos/platform';
import { AgentDirectory } from '@aos/definitions/published';
import { BindingDirectory } from '../binding/binding-directory.js';
import { bindingsProjection } from '../binding/binding.projection.js';
import { bindingWire } from '../binding/binding.wire.js';

@Injectable()
export class BindingQueries {
  constructor(
    private readonly agents: AgentDirectory,
    private readonly directory: BindingDirectory,
    private readonly projectors: Projectors,
  ) {}

  /** Refuses not_found for an agent out of the caller's reach. */
  async list(who: Identity, agentId: string): Promise<Reply<'listAgentMessagingBindings'>> {
    const agent = await this.agents.agent(who.orgId, agentId);
    if (!agent || agent.deleted || !this.agents.canSee(agent, who)) throw notFound('agent');
    this.projectors.requireCaughtUp(collectionOf(bindingsProjection));
    return { items: (await this.directory.ofAgent(who.orgId, agentId)).map(bindingWire) };
  }
}
