import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply, Schema } from '@aos/contract';
import { Clock, ReadStore, Refusal, badRequest, type Condition, type Identity } from '@aos/kernel';
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
import { SessionDirectory } from '../reading/session-directory.js';
import { isExpired } from '../session/lifecycle.decide.js';
import { meantKey } from '../session-key/session-keys.decide.js';
import { sessionRows } from '../session/session.projection.js';

export type SessionFilter = QueryOf<'listSessions'>;

/** Sessions as the routes show them: rows find those of a list, the streams give them fresh. */
@Injectable()
export class SessionQueries {
  constructor(
    private readonly readStore: ReadStore,
    private readonly decisions: Decisions,
    private readonly directory: SessionDirectory,
    private readonly agents: AgentDirectory,
    private readonly thresholds: CompactionThresholds,
    private readonly seal: CursorSeal,
    private readonly clock: Clock,
  ) {}

  /** Refuses not_found. */
  async get(who: Identity, sessionId: string): Promise<Reply<'getSession'>> {
    const now = this.clock.now();
    const { state, revision } = await this.directory.visible(who, sessionId, now);
    return sessionWire(state, revision, who, { single: { now, thresholdTokens: await this.thresholds.of(state) } });
  }

  /** Refuses session_agent_ref_conflict, session_key_scope_required, bad_request. */
  async list(who: Identity, filter: SessionFilter): Promise<Reply<'listSessions'>> {
    if (filter.agent_id !== undefined && filter.agent_name !== undefined) {
      throw new Refusal('session_agent_ref_conflict', {}, 'send agent_id or agent_name, not both');
    }
    if (filter.session_key !== undefined) return this.lookUp(who, filter, filter.session_key);
    return this.page(who, filter);
  }

  /** At most one session; no match is an empty list (rules S11, S12, S13, S47). */
  private async lookUp(who: Identity, filter: SessionFilter, sessionKey: string): Promise<Reply<'listSessions'>> {
    if (filter.agent_id === undefined && filter.agent_name === undefined) {
      throw new Refusal('session_key_scope_required', {}, 'session_key needs agent_id or agent_name');
    }
    const meant = meantKey(who, sessionKey);
    const none: Reply<'listSessions'> = { items: [], has_more: false };
    const agentId = filter.agent_id ?? (await this.agents.agentByName(who.orgId, filter.agent_name ?? ''))?.id;
    const agent = agentId === undefined ? null : await this.agents.agent(who.orgId, agentId);
    if (!agent || !this.agents.canSee(agent, who)) return none;
    const now = this.clock.now();
    const found = await this.directory.findMeant(who, agent.id, meant, now);
    if (!found) return none;
    const { state, revision } = found;
    if (!withinReach(state, who) || isExpired(state, now)) return none;
    if (filter.status !== undefined && state.status !== filter.status) return none;
    return { items: [sessionWire(state, revision, who)], has_more: false };
  }

  private async page(who: Identity, filter: SessionFilter): Promise<Reply<'listSessions'>> {
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
      { collection: sessionRows, scope: [who.orgId], where, orderBy: { index: 'activity', direction: 'desc' } },
      { limit: filter.limit ?? pageLimitDefault, after: position === null ? null : cursorFromText(position) },
      (row) => this.visibleWire(who, row.key),
    );
    return { items, has_more: next !== null, next_cursor: next ? this.seal.seal(cursorToText(next), scope) : null };
  }

  private async visibleWire(who: Identity, sessionId: string): Promise<Schema<'Session'> | null> {
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
