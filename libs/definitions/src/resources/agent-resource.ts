import type { Schema } from '@aos/contract';
import { agentDecider } from '../agent.decider.js';
import { createAgent } from '../agent/agent.decide.js';
import type { AgentDefinition } from '../agent/agent.events.js';
import { agentWire, agentsProjection } from '../agent/agent.projection.js';
import { agentIssues } from '../agent/agent.limits.js';
import {
  agentKind,
  configured,
  unconfigured,
  type AgentPatch,
  type DesiredAgent,
  type NewAgent,
} from '../agent/agent.state.js';
import { requireOwnTags } from '../definition/definition.limits.js';
import type { ResourceKind } from './resource-kind.js';

type AgentEntry = Schema<'BlueprintAgentInput'>;

function desired({ key: _key, skills: _skills, ...fields }: AgentEntry): DesiredAgent {
  return fields;
}

export const agentResource: ResourceKind<{
  definition: AgentDefinition;
  created: NewAgent;
  changed: AgentPatch;
  wire: Schema<'Agent'>;
  entry: AgentEntry;
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
  async checkChange({ people, skills }, who, body, known) {
    await people.require(who, { members: body.members, had: known.members });
    await skills.require(who, body.skill_ids);
  },
  // carrying a change out is its own act only where it changes something else
  audit: { AgentFollowUpDone: null },
  blueprint: {
    issues(entry, at) {
      requireOwnTags(entry.tags);
      return agentIssues(desired(entry), at);
    },
    skills: ({ skills }) => skills,
    blank: ({ name }) => unconfigured(name),
    configured: (current, entry, skillIds) =>
      configured(current, skillIds ? { ...desired(entry), skill_ids: [...skillIds] } : desired(entry)),
    fieldNames: { skill_ids: 'skills' },
  },
};
