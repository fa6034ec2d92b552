import { Injectable } from '@nestjs/common';
import type { Reply } from '@aos/contract';
import { Clock, Refusal, type Identity } from '@aos/kernel';
import { invalidCursor } from '@aos/platform';
import { AgentDirectory } from '@aos/definitions/published';
import { sessionWire, withinReach } from '../session/session.wire.js';
import { CompactionThresholds } from '../compaction/compaction-thresholds.js';
import { SessionDirectory } from '../reading/session-directory.js';
import { isExpired } from '../session/lifecycle.decide.js';
import { meantKey } from '../session-key/session-keys.decide.js';
import { isSought, SessionList, type SessionFilter } from './session-list.js';

/** Sessions as the routes show them: rows find those of a list, the streams give them fresh. */
@Injectable()
export class SessionQueries {
  constructor(
    private readonly sessions: SessionList,
    private readonly directory: SessionDirectory,
    private readonly agents: AgentDirectory,
    private readonly thresholds: CompactionThresholds,
    private readonly clock: Clock,
  ) {}

  /** Refuses not_found. */
  async get(who: Identity, sessionId: string): Promise<Reply<'getSession'>> {
    const now = this.clock.now();
    const { state, revision } = await this.directory.visible(who, sessionId, now);
    return sessionWire(state, revision, who, { single: { now, thresholdTokens: await this.thresholds.of(state) } });
  }

  /** Refuses session_agent_ref_conflict, session_key_scope_required, bad_request, invalid_cursor. */
  async list(who: Identity, filter: SessionFilter): Promise<Reply<'listSessions'>> {
    if (filter.agent_id !== undefined && filter.agent_name !== undefined) {
      throw new Refusal('session_agent_ref_conflict', {}, 'send agent_id or agent_name, not both');
    }
    if (filter.session_key !== undefined) return this.lookUp(who, filter, filter.session_key);
    return this.sessions.page(who, filter);
  }

  /** At most one session, so no cursor comes of it; no match is an empty list (rules S11, S12, S13, S47, S50). */
  private async lookUp(who: Identity, filter: SessionFilter, sessionKey: string): Promise<Reply<'listSessions'>> {
    if (filter.agent_id === undefined && filter.agent_name === undefined) {
      throw new Refusal('session_key_scope_required', {}, 'session_key needs agent_id or agent_name');
    }
    if (filter.cursor !== undefined) throw invalidCursor();
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
    if (!isSought(state, filter)) return none;
    return { items: [sessionWire(state, revision, who)], has_more: false };
  }
}
