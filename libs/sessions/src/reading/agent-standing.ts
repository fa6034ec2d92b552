import type { ActivePrincipals } from '@aos/access/published';
import type { AgentRecord } from '@aos/definitions/published';

/** An agent with whether it begins turns. */
export type SessionAgent = AgentRecord & { standing: 'active' | 'inactive' };

/** An agent that was just found begins turns while it is active itself and its principal is not disabled (rule A32). */
export async function standingOf(principals: ActivePrincipals, agent: AgentRecord): Promise<SessionAgent['standing']> {
  const isActive = agent.wire.status === 'active' && (await principals.isEnabledAgent(agent.org_id, agent.id));
  return isActive ? 'active' : 'inactive';
}
