import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply } from '@aos/contract';
import { Clock, Refusal, looksLikeId, notFound, rfc3339, type Identity } from '@aos/kernel';
import { Decisions, ReleaseWrites, actorOf } from '@aos/platform';
import { AgentDirectory, requireCustody, type AgentRecord } from '@aos/definitions/published';
import { organizationIdentity } from '@aos/access/published';
import { bindingDecider } from '../binding.decider.js';
import { BindingDirectory } from '../binding/binding-directory.js';
import { bindingsPerAgentMax } from '../binding/binding.limits.js';
import { bindingId, bindingKind } from '../binding/binding.state.js';
import { bindingWire } from '../binding/binding.wire.js';
import { DeleteBinding, SaveBinding } from './bindings.commands.js';
import { BindingChecks } from './binding-checks.js';

/** The live agent of this id, for a caller who may change it. Refuses not_found; permission_denied. */
async function managedAgent(agents: AgentDirectory, who: Identity, agentId: string): Promise<AgentRecord> {
  const agent = await agents.agent(who.orgId, agentId);
  if (!agent || agent.deleted) throw notFound('agent');
  requireCustody(agent, who);
  return agent;
}

/**
 * Lets an agent answer from an account.
 *
 * Refuses  not_found for an agent out of the caller's reach or the organization's, and for a connection that is none of
 *          the team's or does not grant the agent; permission_denied; invalid_argument; already_exists; conflict over
 *          100 bindings.
 * Source   rule TE12.
 */
@CommandHandler(SaveBinding)
export class SaveBindingHandler implements ICommandHandler<SaveBinding> {
  constructor(
    private readonly agents: AgentDirectory,
    private readonly checks: BindingChecks,
    private readonly directory: BindingDirectory,
    private readonly writes: ReleaseWrites,
    private readonly decisions: Decisions,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { agent_id: agentId, body } }: SaveBinding): Promise<Reply<'saveAgentMessagingBinding'>> {
    const agent = await managedAgent(this.agents, who, agentId);
    if (!this.agents.canSee(agent, organizationIdentity(who.orgId, who.requestId))) throw notFound('agent');
    await this.checks.check(who, agent, body);
    this.writes.requireFeature('messaging');
    const id = bindingId(who.orgId, { ...body, agent_id: agentId });
    const gone = await this.goneHolder(who, id, agentId);
    const command = { orgId: who.orgId, agentId, id, body, gone, by: who.principalId, now: rfc3339(this.clock.now()) };
    const { state } = await this.decisions.decide(bindingDecider.saveBinding, id, actorOf(who), command);
    if (!state.binding) throw new Error(`${id} was not saved`);
    return bindingWire(state.binding);
  }

  /** Looks at the binding that stands: counts those of a new holder, and tells of one that is gone. */
  private async goneHolder(who: Identity, id: string, agentId: string): Promise<string | null> {
    const { binding } = (await this.decisions.load(bindingKind, id)).state;
    if (binding?.agent_id === agentId) return null;
    if ((await this.directory.count(who.orgId, agentId)) >= bindingsPerAgentMax)
      throw new Refusal('conflict', { limit: bindingsPerAgentMax }, 'too many bindings of this agent');
    if (!binding) return null;
    const holder = await this.agents.agent(who.orgId, binding.agent_id);
    return !holder || holder.deleted ? binding.agent_id : null;
  }
}

/** Ends a binding. Refuses not_found for one that is not the agent's, or out of reach; permission_denied. */
@CommandHandler(DeleteBinding)
export class DeleteBindingHandler implements ICommandHandler<DeleteBinding> {
  constructor(
    private readonly agents: AgentDirectory,
    private readonly writes: ReleaseWrites,
    private readonly decisions: Decisions,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { agent_id: agentId, binding_id: id } }: DeleteBinding): Promise<undefined> {
    await managedAgent(this.agents, who, agentId);
    this.writes.requireFeature('messaging');
    if (!looksLikeId('chan', id)) throw notFound('messaging binding');
    const command = { orgId: who.orgId, agentId, by: who.principalId, now: rfc3339(this.clock.now()) };
    await this.decisions.decide(bindingDecider.deleteBinding, id, actorOf(who), command);
  }
}
