import { actingProviders } from './acting.decide.js';
import type { RestsOn, RoutineEventTrigger, RoutineRecord } from './routine.events.js';
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

/** Connections that grant a routine's agent now. */
export interface Granting {
  /** The one that its event names; null when that is none, or grants it no more. */
  named: string | null;
  /** Accounts of the person that it runs as, by provider. */
  accounts: Readonly<Record<string, readonly string[]>>;
}

/** The connections that a routine rests on: what was there and grants its agent can be revoked (rule TE27). */
export function restsOnOf(
  routine: Pick<RoutineRecord, 'event' | 'act_as_user_providers' | 'act_as_user_by' | 'run_as'>,
  { named, accounts }: Granting,
): RestsOn[] {
  const isNamed = named !== null && routine.event?.integration_id === named;
  return [
    ...(isNamed ? [{ connection_id: named, provider: null }] : []),
    ...actingProviders(routine).flatMap((provider) =>
      (accounts[provider] ?? []).map((id) => ({ connection_id: id, provider })),
    ),
  ];
}

/** Whether a routine lost what it rests on: the connection of its event, or all accounts of a provider. */
export function isWithoutSource(restsOn: readonly RestsOn[], { named, accounts }: Granting): boolean {
  return restsOn.some(({ connection_id: id, provider }) =>
    provider === null ? named !== id : (accounts[provider] ?? []).length === 0,
  );
}
