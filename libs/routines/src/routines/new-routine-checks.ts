import { Injectable } from '@nestjs/common';
import { Clock, ReadStore, Refusal, collectionOf, invalidArgument, type Identity } from '@aos/kernel';
import { AgentDirectory, type AgentRecord } from '@aos/definitions/published';
import { SessionDirectory } from '@aos/sessions/published';
import { routinesPerOrganizationMax } from '../routine/routine.limits.js';
import { routinesProjection } from '../routine/routine.projection.js';

/** What a new routine rests on: an agent, perhaps a session, and room in the organization. */
@Injectable()
export class NewRoutineChecks {
  constructor(
    private readonly agents: AgentDirectory,
    private readonly sessions: SessionDirectory,
    private readonly readStore: ReadStore,
    private readonly clock: Clock,
  ) {}

  /** Refuses invalid_argument {argument: agent_id} for an agent that is not there for the caller. */
  async agentFor(who: Identity, agentId: string): Promise<AgentRecord> {
    const agent = await this.reachable(who, agentId);
    if (!agent) throw invalidArgument('agent_id', 'no such agent', { reason: 'unknown_agent' });
    return agent;
  }

  /** Null for an agent that is gone or out of the caller's reach. */
  async reachable(who: Identity, agentId: string): Promise<AgentRecord | null> {
    const agent = await this.agents.agent(who.orgId, agentId);
    return agent && !agent.deleted && this.agents.canSee(agent, who) ? agent : null;
  }

  /** Refuses invalid_argument {argument: session_id} for a session of another agent or out of the caller's reach. */
  async requireSession(who: Identity, sessionId: string, agent: AgentRecord): Promise<void> {
    try {
      const { state } = await this.sessions.visible(who, sessionId, this.clock.now());
      if (state.opening?.agent_id === agent.id) return;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'not_found') throw error;
    }
    throw invalidArgument('session_id', 'no such session of the agent', { reason: 'unknown_session' });
  }

  /**
   * Refuses conflict {limit}. Counts about as many as there are: two that are made at once may both get the last place.
   */
  async requireRoom(orgId: string): Promise<void> {
    const query = {
      collection: collectionOf(routinesProjection),
      scope: [orgId],
      where: [{ index: 'standing', eq: 'yes' }],
    };
    if ((await this.readStore.count(query, routinesPerOrganizationMax)) < routinesPerOrganizationMax) return;
    throw new Refusal(
      'conflict',
      { limit: routinesPerOrganizationMax },
      'the organization has as many routines as it may',
    );
  }
}
