import { collectionOf } from '@aos/kernel';
import {
  agentIssues,
  agentKind,
  agentsProjection,
  configured,
  requireOwnTags,
  unconfigured,
  type DesiredAgent,
} from '@aos/definitions/published';
import { resourceKind, type Entry, type Reference } from './resource-kind.state.js';

/** Shape `BlueprintAgentInput` of the contract. */
type AgentEntry = Entry & Omit<DesiredAgent, 'skill_ids'> & { skills?: Reference[] };

function desired({ key: _key, skills: _skills, ...fields }: AgentEntry): DesiredAgent {
  return fields;
}

export const agentResource = resourceKind({
  type: 'agent',
  list: 'agents',
  prefix: 'agent',
  kind: agentKind,
  collection: collectionOf(agentsProjection),
  issues(entry: AgentEntry, at) {
    requireOwnTags(entry.tags);
    return agentIssues(desired(entry), at);
  },
  skills: ({ skills }) => skills,
  blank: ({ name }) => unconfigured(name),
  configured: (current, entry, skillIds) =>
    configured(current, skillIds ? { ...desired(entry), skill_ids: [...skillIds] } : desired(entry)),
  fieldNames: { skill_ids: 'skills' },
});
