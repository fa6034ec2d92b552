import { Inject, Injectable } from '@nestjs/common';
import { Clock, type Identity, type Reach } from '@aos/kernel';
import { AgentDirectory, TableDirectory } from '@aos/definitions/published';
import { PresentSessions, SessionDirectory } from '@aos/sessions/published';

/** Which principals see which event (rules E7, E19, I29). */
@Injectable()
export class Reaches {
  constructor(
    private readonly agents: AgentDirectory,
    private readonly tables: TableDirectory,
    private readonly sessions: PresentSessions,
    @Inject(SessionDirectory) private readonly directory: Pick<SessionDirectory, 'isVisible'>,
    private readonly clock: Clock,
  ) {}

  /**
   * A look at what one caller may see; agents, tables and sessions are read once for the time it is used, so use it for
   * one page.
   */
  of(who: Identity): ReachOf {
    const readsSession = (id: string) => this.directory.isVisible(who, id, this.clock.now());
    return new ReachOf(who, this.agents, this.tables, this.sessions, readsSession);
  }
}

export class ReachOf {
  private readonly seen = new Map<string, Promise<boolean>>();
  private readonly found = new Map<string, ReturnType<PresentSessions['find']>>();

  constructor(
    private readonly who: Identity,
    private readonly agents: AgentDirectory,
    private readonly tables: TableDirectory,
    private readonly sessions: PresentSessions,
    private readonly readsSession: (id: string) => Promise<boolean>,
  ) {}

  async includes(reach: Reach): Promise<boolean> {
    if (reach.only !== undefined && reach.only !== this.who.principalId) return false; // rule R46
    if (reach.principal_ids?.includes(this.who.principalId)) return true;
    const { asking_session_id: askingId } = reach;
    if (askingId === undefined) return this.holds(reach);
    return (await this.holds(reach)) || this.once(askingId, () => this.readsSession(askingId));
  }

  private async holds(reach: Reach): Promise<boolean> {
    if (reach.session_id === undefined && !this.isPublishedTo(reach)) return false;
    const { agent_id: agentId, table_id: tableId, session_id: sessionId } = reach;
    if (agentId && !(await this.once(agentId, () => this.seesAgent(agentId)))) return false;
    if (tableId !== undefined && !(await this.once(tableId, () => this.tables.canSee(this.who, tableId)))) return false;
    if (sessionId === undefined) return true;
    const session = await this.session(sessionId);
    return session !== null && this.isPublishedTo({ ...reach, ...session.custody });
  }

  /** Its owner and audience as they are now count, not those of the event (rule TE10). */
  private session(id: string): ReturnType<PresentSessions['find']> {
    const found = this.found.get(id) ?? this.sessions.find(this.who.orgId, id);
    this.found.set(id, found);
    return found;
  }

  private isPublishedTo({ visibility, owner_id }: Reach): boolean {
    const { principalId, permissions } = this.who;
    return visibility !== 'private' || owner_id === principalId || permissions.has('svc.org.admin');
  }

  private async seesAgent(agentId: string): Promise<boolean> {
    const agent = await this.agents.agent(this.who.orgId, agentId);
    return agent === null || this.agents.canSee(agent, this.who);
  }

  private once(id: string, look: () => Promise<boolean>): Promise<boolean> {
    const looked = this.seen.get(id) ?? look();
    this.seen.set(id, looked);
    return looked;
  }
}
