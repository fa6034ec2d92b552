import type { ActivePrincipals } from '@aos/access/published';
import type { AgentRecord } from '@aos/definitions/published';

/** An agent with whether it begins turns. */
export type SessionAgent = AgentRecord & { standing: 'active' | 'inactive' };

/** An agent begins turns while it is active itself and its principal is not disabled (rule A32). */
export async function standingOf(principals: ActivePrincipals, agent: AgentRecord): Promise<SessionAgent['standing']> {
  return agent.wire.status === 'active' && (await principals.isAgentEnabled(agent.org_id, agent.id))
    ? 'active'
    : 'inactive';
}
