import type { RoutineEventTrigger } from './routine.events.js';
import { prefixOf } from '../pattern/pattern.decide.js';

/** An agent's rules for the connections of one provider (contract, `AgentIntegrationAccess`). */
export type ConnectionRule = { provider: string; act_as_user?: boolean; pin?: string };

/**
 * Whether an agent's rules let it use an event's connection: `none` when they say nothing of the provider, or no
 * connection is named.
 */
export function bindingOf(
  trigger: RoutineEventTrigger | null,
  rules: readonly ConnectionRule[],
): 'bound' | 'refused' | 'none' {
  if (trigger?.integration_id === undefined) return 'none';
  const own = rules.filter(({ provider }) => provider === prefixOf(trigger.event_type));
  if (own.length === 0) return 'none';
  return own.some(({ pin }) => pin === undefined || pin === trigger.integration_id) ? 'bound' : 'refused';
}

/**
 * Whether an event's source was revoked: the agent's access to the connection was taken away, or pinned to another one.
 *
 * Source   rules EV3, X3.
 */
export function isRevoked(
  trigger: RoutineEventTrigger | null,
  wasBound: boolean,
  rules: readonly ConnectionRule[],
): boolean {
  const binding = bindingOf(trigger, rules);
  return binding === 'refused' || (binding === 'none' && wasBound);
}

/** The providers at which its actions may use the acting person's accounts. */
export function actingProviders(rules: readonly ConnectionRule[]): string[] {
  return [...new Set(rules.filter(({ act_as_user }) => act_as_user === true).map(({ provider }) => provider))].sort();
}
