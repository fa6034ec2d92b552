import type { Reply, RequestBody } from '@aos/client';
import { membersOf } from '../definitions/members';

export type Agent = Reply<'getAgent'>;
export type AgentBody = RequestBody<'updateAgent'>;
export type NewAgentBody = RequestBody<'createAgent'>;

const changeable = [
  'name',
  'description',
  'color',
  'model',
  'model_route',
  'tool_presentation',
  'action_selectors',
  'integration_access',
  'system_prompt',
  'timeout_seconds',
  'compaction_policy',
  'memory_enabled',
  'thinking_effort',
  'tags',
  'memory_context',
  'skill_ids',
  'status',
  'visibility',
] as const;

/** What of an agent may be changed. */
export function bodyOf(agent: Agent): AgentBody {
  return membersOf(agent, changeable) as AgentBody;
}

/** The body that makes an agent like this one. */
export function copyOf(agent: Agent, name: string): NewAgentBody {
  return { ...(bodyOf(agent) as NewAgentBody), name };
}
