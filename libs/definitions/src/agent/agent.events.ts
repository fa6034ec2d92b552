import { defineEvents, event, type EventOf } from '@aos/kernel';
import type { Recorded } from '../definition/definition.events.js';

export type SelectorType = 'exact' | 'group' | 'platform' | 'custom' | 'wildcard';
export type ActionSelector = { selector_type: SelectorType; selector: string };
export type ModelRoute = { mode: 'managed' | 'worker'; environment_id?: string; provider?: string; model?: string };
export type IntegrationAccess = { provider: string; act_as_user?: boolean; pin?: string };
/** `strategy: none` is stored as `disabled` (rule S16). */
export type CompactionPolicy = {
  strategy?: 'auto' | 'manual' | 'disabled';
  threshold?: 'xs' | 'sm' | 'md' | 'lg' | 'xl';
  threshold_tokens?: number;
  summary_model?: string;
};
export type MemoryContext = { mode: 'index' | 'full' | 'off'; max_bytes?: number };
export type ThinkingEffort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';
export type AgentStatus = 'active' | 'inactive';

/**
 * What an agent's author configured: the only source of its behaviour. Absent: not set, the service's default holds.
 */
export type AgentDefinition = {
  name: string;
  external_ref?: string;
  description?: string;
  color?: string;
  model?: string;
  model_route?: ModelRoute;
  tool_presentation: 'flat' | 'meta';
  action_selectors: ActionSelector[];
  integration_access: IntegrationAccess[];
  system_prompt?: string;
  /** Seconds of active execution of one turn; absent and 0 mean 600 (rule L6). */
  timeout_seconds?: number;
  compaction_policy?: CompactionPolicy;
  memory_enabled: boolean;
  memory_context?: MemoryContext;
  thinking_effort?: ThinkingEffort;
  tags: Record<string, string>;
  /** Assigned skills, in order. */
  skill_ids: string[];
  status: AgentStatus;
  /** Inbox address once provisioned; made by the service. */
  email_address?: string;
};

type AgentRecorded = Recorded<AgentDefinition>;

/**
 * Each carries the whole record; `ProtectionSet`, `BindingAttached` and `BindingDetached` are written by blueprints.
 */
export const agentEvents = defineEvents({
  AgentCreated: event<AgentRecorded>(1),
  AgentConfigured: event<AgentRecorded>(1),
  AgentSkillsAssigned: event<AgentRecorded>(1),
  AgentInboxProvisioned: event<AgentRecorded>(1),
  /** Its owner or audience changed, with something that is still to be brought about: `follow_ups`. */
  AgentCustodyChanged: event<AgentRecorded>(1, {}, { since: 'ownership' }),
  /** One of these is done. */
  AgentFollowUpDone: event<AgentRecorded>(1, {}, { since: 'ownership' }),
  AgentDeleted: event<AgentRecorded>(1),
  ProtectionSet: event<AgentRecorded>(1),
  BindingAttached: event<AgentRecorded>(1),
  BindingDetached: event<AgentRecorded>(1),
});
export type AgentEvent = EventOf<typeof agentEvents>;
