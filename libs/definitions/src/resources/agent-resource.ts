import type { Schema } from '@aos/contract';
import { agentDecider } from '../agent.decider.js';
import { createAgent } from '../agent/agent.decide.js';
import type { AgentDefinition } from '../agent/agent.events.js';
import { agentWire, agentsProjection } from '../agent/agent.projection.js';
import { agentKind, type AgentPatch, type NewAgent } from '../agent/agent.state.js';
import type { ResourceKind } from './resource-kind.js';

export const agentResource: ResourceKind<{
  definition: AgentDefinition;
  created: NewAgent;
  changed: AgentPatch;
  wire: Schema<'Agent'>;
}> = {
  type: 'agent',
  list: 'agents',
  prefix: 'agent',
  kind: agentKind,
  projection: agentsProjection,
  knownBy: 'id',
  // an agent is the principal of its own id
  filters: { name: 'name', external_ref: 'external_ref', status: 'status', principal_id: 'id' },
  wire: agentWire,
  create: createAgent,
  change: agentDecider.changeAgent,
  delete: agentDecider.deleteAgent,
  async checkNew({ people, skills }, who, body) {
    await people.require(who, body);
    await skills.require(who, body.skill_ids);
  },
  async checkChange({ people, skills }, who, body) {
    await people.require(who, { members: body.members });
    await skills.require(who, body.skill_ids);
  },
};
