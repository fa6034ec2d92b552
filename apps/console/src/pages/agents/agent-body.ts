import type { Reply, RequestBody } from '@aos/client';

export type Agent = Reply<'getAgent'>;
export type AgentBody = RequestBody<'updateAgent'>;
export type NewAgentBody = RequestBody<'createAgent'>;

/** What of an agent may be changed. */
export function bodyOf(agent: Agent): AgentBody {
  const {
    name,
    description,
    color,
    model,
    model_route,
    tool_presentation,
    action_selectors,
    integration_access,
    system_prompt,
    timeout_seconds,
    compaction_policy,
    memory_enabled,
    thinking_effort,
    tags,
    memory_context,
    skill_ids,
    status,
    visibility,
  } = agent;
  const body = {
    name,
    description,
    color,
    model,
    model_route,
    tool_presentation,
    action_selectors,
    integration_access,
    system_prompt,
    timeout_seconds,
    compaction_policy,
    memory_enabled,
    thinking_effort,
    tags,
    memory_context,
    skill_ids,
    status,
    visibility,
  };
  return JSON.parse(JSON.stringify(body)) as AgentBody; // without what is undefined
}

/** The body that makes an agent like this one. A name has at most 63 characters. */
export function copyOf(agent: Agent, name: string): NewAgentBody {
  return { ...(bodyOf(agent) as NewAgentBody), name };
}

const nameMax = 63;
const copyEnd = '-copy';

export function copyName(name: string, max = nameMax, end = copyEnd): string {
  return `${name.slice(0, max - end.length)}${end}`;
}
