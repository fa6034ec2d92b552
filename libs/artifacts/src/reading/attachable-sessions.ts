import { Injectable } from '@nestjs/common';
import { Clock, notFound, type Identity } from '@aos/kernel';
import { AgentDirectory } from '@aos/definitions/published';
import { SessionDirectory, type SessionState } from '@aos/sessions/published';

/** Sessions that a caller may send input to: there it makes and deletes files (rule TE8). */
@Injectable()
export class AttachableSessions {
  constructor(
    private readonly sessions: SessionDirectory,
    private readonly agents: AgentDirectory,
    private readonly clock: Clock,
  ) {}

  /** Refuses  not_found for a session out of reach, and for one whose agent is gone: no input goes there any more. */
  async forInput(who: Identity, sessionId: string): Promise<SessionState> {
    const state = await this.reached(who, sessionId);
    const agent = await this.agents.agent(who.orgId, state.opening?.agent_id ?? '');
    if (!agent || agent.deleted) throw notFound('agent');
    return state;
  }

  /** As `forInput`, also when the agent is gone: what was attached can be deleted at any time. */
  async reached(who: Identity, sessionId: string): Promise<SessionState> {
    return (await this.sessions.visible(who, sessionId, this.clock.now())).state;
  }
}
