import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import {
  Clock,
  ReadStore,
  Refusal,
  badRequest,
  type Condition,
  type Identity,
  type JsonObject,
  collectionOf,
} from '@aos/kernel';
import {
  CursorSeal,
  Decisions,
  pageLimitDefault,
  listScope,
  cursorFromText,
  cursorToText,
  positionOf,
  visiblePage,
} from '@aos/platform';
import { AgentDirectory } from '@aos/definitions/published';
import { sessionKind, type SessionState } from '../session/session.state.js';
import { sessionWire, withinReach } from '../session/session.wire.js';
import { CompactionThresholds } from '../compaction/compaction-thresholds.js';
import { SessionDirectory, isExpired } from '../reading/session-directory.js';
import { meantKey } from '../session-key/session-keys.decide.js';
import { sessionsProjection } from '../session/session.projection.js';

export interface SessionFilter {
  session_key?: string;
  agent_id?: string;
  agent_name?: string;
  status?: string;
  scope?: string;
  provider?: string;
  integration_id?: string;
  since?: string;
  limit?: number;
  cursor?: string;
}

export class GetSession extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly sessionId: string,
  ) {
    super();
  }
}

@QueryHandler(GetSession)
export class GetSessionHandler implements IQueryHandler<GetSession> {
  constructor(
    private readonly directory: SessionDirectory,
    private readonly thresholds: CompactionThresholds,
    private readonly clock: Clock,
  ) {}

  async execute({ who, sessionId }: GetSession): Promise<JsonObject> {
    const now = this.clock.now();
    const { state, revision } = await this.directory.visible(who, sessionId, now);
    return sessionWire(state, revision, who, { single: { now, thresholdTokens: await this.thresholds.of(state) } });
  }
}

export class ListSessions extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly filter: SessionFilter,
  ) {
    super();
  }
}

/** Lists and look-ups: rows find the sessions, the streams give them fresh. */
@QueryHandler(ListSessions)
export class ListSessionsHandler implements IQueryHandler<ListSessions> {
  constructor(
    private readonly readStore: ReadStore,
    private readonly decisions: Decisions,
    private readonly directory: SessionDirectory,
    private readonly agents: AgentDirectory,
    private readonly seal: CursorSeal,
    private readonly clock: Clock,
  ) {}

  async execute({ who, filter }: ListSessions): Promise<JsonObject> {
    if (filter.agent_id !== undefined && filter.agent_name !== undefined) {
      throw new Refusal('session_agent_ref_conflict', {}, 'send agent_id or agent_name, not both');
    }
    if (filter.session_key !== undefined) return this.lookUp(who, filter, filter.session_key);
    return this.list(who, filter);
  }

  /** At most one session; no match is an empty list (rules S11, S12, S13, S47). */
  private async lookUp(who: Identity, filter: SessionFilter, sessionKey: string): Promise<JsonObject> {
    if (filter.agent_id === undefined && filter.agent_name === undefined) {
      throw new Refusal('session_key_scope_required', {}, 'session_key needs agent_id or agent_name');
    }
    const meant = meantKey(who, sessionKey);
    const none: JsonObject = { items: [], has_more: false };
    const agentId = filter.agent_id ?? (await this.agents.agentByName(who.orgId, filter.agent_name ?? ''))?.id;
    const agent = agentId === undefined ? null : await this.agents.agent(who.orgId, agentId);
    if (!agent || !this.agents.canSee(agent, who)) return none;
    const now = this.clock.now();
    const resolved = await this.directory.findMeant(who, agent.id, meant, now);
    if (!resolved) return none;
    const { state, revision } = await this.decisions.load(sessionKind, resolved);
    if (!withinReach(state, who) || isExpired(state, now)) return none;
    if (filter.status !== undefined && state.status !== filter.status) return none;
    return { items: [sessionWire(state, revision, who)], has_more: false };
  }

  private async list(who: Identity, filter: SessionFilter): Promise<JsonObject> {
    const where: Condition[] = [];
    const agentId =
      filter.agent_id ??
      (filter.agent_name === undefined
        ? undefined
        : ((await this.agents.agentByName(who.orgId, filter.agent_name))?.id ?? ''));
    if (agentId !== undefined) where.push({ index: 'agent', eq: agentId });
    if (filter.status !== undefined) where.push({ index: 'status', eq: filter.status });
    if (filter.provider !== undefined) where.push({ index: 'provider', eq: filter.provider });
    if (filter.integration_id !== undefined) where.push({ index: 'integration', eq: filter.integration_id });
    if (filter.since !== undefined) {
      const since = Date.parse(filter.since);
      if (Number.isNaN(since)) throw badRequest([{ path: 'query.since', message: 'must be a time' }]);
      where.push({ index: 'activity', gt: new Date(since).toISOString() });
    }
    const scope = listScope(who.orgId, 'sessions', { ...filter });
    const position = positionOf(this.seal, scope, filter.cursor);
    const { items, next } = await visiblePage(
      this.readStore,
      {
        collection: collectionOf(sessionsProjection),
        scope: [who.orgId],
        where,
        orderBy: { index: 'activity', direction: 'desc' },
      },
      { limit: filter.limit ?? pageLimitDefault, after: position === null ? null : cursorFromText(position) },
      (row) => this.visibleWire(who, row.key),
    );
    return { items, has_more: next !== null, next_cursor: next ? this.seal.seal(cursorToText(next), scope) : null };
  }

  private async visibleWire(who: Identity, sessionId: string): Promise<JsonObject | null> {
    const { state, revision } = await this.decisions.load(sessionKind, sessionId);
    if (!this.listed(who, state)) return null;
    const wire = sessionWire(state, revision, who);
    const agent = await this.agents.agent(who.orgId, state.opening?.agent_id ?? '');
    return agent && !this.agents.canSee(agent, who) ? null : wire;
  }

  private listed(who: Identity, state: SessionState): boolean {
    return withinReach(state, who) && !isExpired(state, this.clock.now());
  }
}
