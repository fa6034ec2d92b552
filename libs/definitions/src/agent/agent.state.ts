import type { RequestBody } from '@aos/contract';
import { definitionKind, text, withoutUnset } from '../definition/definition.state.js';
import type { DefinitionRecord } from '../definition/definition.events.js';
import {
  agentEvents,
  type AgentDefinition,
  type AgentEvent,
  type CompactionPolicy,
  type MemoryContext,
  type ThinkingEffort,
} from './agent.events.js';

export type AgentRecord = DefinitionRecord<AgentDefinition>;

/** Stream `agent-<id>`. */
export const agentKind = definitionKind<AgentDefinition, AgentEvent>({
  category: 'agent',
  events: agentEvents,
  created: (record) => ({ type: 'AgentCreated', data: { record } }),
  changed: (record) => ({ type: 'AgentConfigured', data: { record } }),
  deleted: (record) => ({ type: 'AgentDeleted', data: { record } }),
});

/** Body of `POST /v1/agents`. */
export type NewAgent = RequestBody<'createAgent'>;

/** Body of `PATCH /v1/agents/{agent_id}`. */
export type AgentPatch = RequestBody<'updateAgent'>;

/**
 * What a caller sends about an agent, in the contract's shape: absent keeps, on a new agent absent means the default.
 */
export type DesiredAgent = Omit<
  AgentPatch,
  'visibility' | 'members' | 'confirm_visibility_change' | 'affected_resource_dispositions' | 'stranded_disposition'
>;

/** An agent with a name and defaults for all other fields. */
export function unconfigured(name: string): AgentDefinition {
  return {
    name,
    tool_presentation: 'flat',
    action_selectors: [],
    integration_access: [],
    memory_enabled: true,
    tags: {},
    skill_ids: [],
    status: 'active',
  };
}

/**
 * The definition that results from a definition and what a caller wants; pure, so that a preview says exactly what an
 * apply does.
 *
 * Lists, tags and policies replace; an empty policy and `thinking_effort: inherit` clear; empty text clears.
 */
export function configured(current: AgentDefinition, desired: DesiredAgent): AgentDefinition {
  const selectors = desired.action_selectors ?? desired.tool_selectors;
  return withoutUnset({
    ...current,
    name: desired.name ?? current.name,
    external_ref: desired.external_ref ?? current.external_ref,
    description: text(desired.description, current.description),
    color: text(desired.color, current.color),
    model: text(desired.model, current.model),
    model_route: desired.model_route ? { ...desired.model_route } : current.model_route,
    tool_presentation: desired.tool_presentation ?? current.tool_presentation,
    action_selectors: selectors
      ? selectors.map(({ selector_type: type = 'exact', selector }) => ({ selector_type: type, selector }))
      : current.action_selectors,
    integration_access: desired.integration_access
      ? desired.integration_access.map((access) => ({ ...access }))
      : current.integration_access,
    system_prompt: text(desired.system_prompt, current.system_prompt),
    timeout_seconds: desired.timeout_seconds ?? current.timeout_seconds,
    compaction_policy: desired.compaction_policy
      ? compactionPolicy(desired.compaction_policy)
      : current.compaction_policy,
    memory_enabled: desired.memory_enabled ?? current.memory_enabled,
    memory_context: desired.memory_context ? memoryContext(desired.memory_context) : current.memory_context,
    thinking_effort: effort(desired.thinking_effort, current.thinking_effort),
    tags: desired.tags ? { ...desired.tags } : current.tags,
    skill_ids: desired.skill_ids ? [...desired.skill_ids] : current.skill_ids,
    status: desired.status ?? current.status,
  });
}

/** Takes `none` as `disabled` (rule S16); an empty policy is none. */
export function compactionPolicy(policy: NonNullable<DesiredAgent['compaction_policy']>): CompactionPolicy | undefined {
  const { strategy, ...rest } = policy;
  const kept: CompactionPolicy = withoutUnset({ ...rest });
  if (strategy) kept.strategy = strategy === 'none' ? 'disabled' : strategy;
  return Object.keys(kept).length > 0 ? kept : undefined;
}

function memoryContext(policy: Partial<MemoryContext>): MemoryContext | undefined {
  if (Object.keys(policy).length === 0) return undefined;
  return { ...policy, mode: policy.mode ?? 'index' };
}

function effort(
  desired: DesiredAgent['thinking_effort'],
  current: ThinkingEffort | undefined,
): ThinkingEffort | undefined {
  if (desired === undefined) return current;
  return desired === 'inherit' ? undefined : desired;
}
