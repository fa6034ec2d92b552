import { Injectable } from '@nestjs/common';
import { looksLikeId, notFound, rfc3339, type Identity, type Viewer } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { OrganizationSalts } from '@aos/access/published';
import { AgentDirectory } from '@aos/definitions/published';
import { sessionIdFor, sessionKeyStreamId } from '../session/session.ids.js';
import { sessionKind, type SessionState } from '../session/session.state.js';
import { expiresAt, withinReach } from '../session/session.wire.js';
import { deleteSession } from '../session/lifecycle.decide.js';
import { freeSessionKey, sessionKeyKind } from '../session-key/session-key.state.js';
import { isOwnDefault, sharedDefaultKey } from '../session-key/session-keys.decide.js';

const generationsMax = 1000;

/** The session that a key means now: a live one, or the id under which a new one would be opened. */
export interface ResolvedKey {
  sessionId: string;
  live: boolean;
}

/** Finds sessions: by id within the caller's reach, and by key without any look-up table. */
@Injectable()
export class SessionDirectory {
  constructor(
    private readonly decisions: Decisions,
    private readonly salts: OrganizationSalts,
    private readonly agents: AgentDirectory,
  ) {}

  /**
   * The session, if this caller may see it; 404 otherwise, exactly as for an unknown id (rules A28, G13). `now` judges
   * retention.
   */
  async visible(who: Identity, sessionId: string, now: number): Promise<{ state: SessionState; revision: number }> {
    const seen = await this.seenBy(who, sessionId, now);
    if (!seen) throw notFound('session');
    return seen;
  }

  /** Whether a session exists for callers with reach of it. */
  async isLive(sessionId: string, now: number): Promise<boolean> {
    const { state } = await this.decisions.load(sessionKind, sessionId);
    return state.opening !== null && state.status !== 'deleted' && !isExpired(state, now);
  }

  /** As `visible`, for the one that reach is judged by. */
  async isVisible(viewer: Viewer & Pick<Identity, 'actsFor'>, sessionId: string, now: number): Promise<boolean> {
    return (await this.seenBy(viewer, sessionId, now)) !== null;
  }

  /** The state that was judged; null when it is out of the viewer's reach. */
  private async seenBy(
    viewer: Viewer & Pick<Identity, 'actsFor'>,
    sessionId: string,
    now: number,
  ): Promise<{ state: SessionState; revision: number } | null> {
    if (!looksLikeId('ses', sessionId)) return null;
    const { state, revision } = await this.decisions.load(sessionKind, sessionId);
    if (!withinReach(state, viewer) || isExpired(state, now)) return null;
    const agent = await this.agents.agent(viewer.orgId, state.opening?.agent_id ?? '');
    return !agent || this.agents.canSee(agent, viewer) ? { state, revision } : null;
  }

  /**
   * Resolves a key of an agent (rules S2, S3, S4, S5).
   *
   * A key that looks like a session id is that session when it is live, of this organization and agent, and has its own
   * id as key. A deleted session frees its key: the next generation's id is given, and a key stream that lags is
   * repaired on the way.
   */
  async resolve(who: Identity, agentId: string, sessionKey: string, now: number): Promise<ResolvedKey> {
    if (looksLikeId('ses', sessionKey)) {
      const { state } = await this.decisions.load(sessionKind, sessionKey);
      const { opening, status } = state;
      if (
        opening &&
        status !== 'deleted' &&
        opening.org_id === who.orgId &&
        opening.agent_id === agentId &&
        opening.session_key === sessionKey
      ) {
        return { sessionId: sessionKey, live: true };
      }
    }
    const salt = await this.salts.of(who.orgId);
    let generation = 0;
    for (let attempt = 0; attempt < generationsMax; attempt += 1) {
      const sessionId = sessionIdFor(salt, agentId, sessionKey, generation);
      const { state } = await this.decisions.load(sessionKind, sessionId);
      if (!state.opening) return { sessionId, live: false };
      if (state.status !== 'deleted' && !isExpired(state, now)) return { sessionId, live: true };
      if (state.status !== 'deleted') await this.expire(who, sessionId, now);
      generation = await this.nextGeneration(who, agentId, sessionKey, generation, sessionId);
    }
    throw notFound('session');
  }

  /**
   * As `resolve`, for a key that a caller means (`meantKey`): a person's default session from before rule S47 stays
   * what it was.
   */
  async resolveMeant(who: Identity, agentId: string, meant: string, now: number): Promise<ResolvedKey> {
    const resolved = await this.resolve(who, agentId, meant, now);
    if (resolved.live || !isOwnDefault(meant)) return resolved;
    const older = await this.defaultFromBefore(who, agentId, now);
    return older === null ? resolved : { sessionId: older, live: true };
  }

  /** The live session under a key that a caller means, without repairing anything; null when there is none. */
  async findMeant(who: Identity, agentId: string, meant: string, now: number): Promise<string | null> {
    return (
      (await this.find(who, agentId, meant)) ?? (isOwnDefault(meant) ? this.defaultFromBefore(who, agentId, now) : null)
    );
  }

  /** The session that a person owns under the key that all callers shared before rule S47. */
  private async defaultFromBefore(who: Identity, agentId: string, now: number): Promise<string | null> {
    const sessionId = await this.find(who, agentId, sharedDefaultKey);
    if (sessionId === null) return null;
    const { state } = await this.decisions.load(sessionKind, sessionId);
    return state.opening?.owner.id === who.principalId && !isExpired(state, now) ? sessionId : null;
  }

  private async find(who: Identity, agentId: string, sessionKey: string): Promise<string | null> {
    const { state: key } = await this.decisions.load(
      sessionKeyKind,
      sessionKeyStreamId(who.orgId, agentId, sessionKey),
    );
    const derived = sessionIdFor(await this.salts.of(who.orgId), agentId, sessionKey, key.generation);
    for (const candidate of looksLikeId('ses', sessionKey) ? [sessionKey, derived] : [derived]) {
      const { state } = await this.decisions.load(sessionKind, candidate);
      const { opening, status } = state;
      if (
        opening &&
        status !== 'deleted' &&
        opening.org_id === who.orgId &&
        opening.agent_id === agentId &&
        opening.session_key === sessionKey
      )
        return candidate;
    }
    return null;
  }

  /** Writes that a key is free again; harmless when repeated. */
  async free(who: Identity, agentId: string, sessionKey: string, deletedId: string): Promise<void> {
    const salt = await this.salts.of(who.orgId);
    const keyStream = sessionKeyStreamId(who.orgId, agentId, sessionKey);
    const { state } = await this.decisions.load(sessionKeyKind, keyStream);
    if (sessionIdFor(salt, agentId, sessionKey, state.generation) !== deletedId) return;
    await this.nextGeneration(who, agentId, sessionKey, state.generation, deletedId);
  }

  private async nextGeneration(
    who: Identity,
    agentId: string,
    sessionKey: string,
    generation: number,
    sessionId: string,
  ): Promise<number> {
    const keyStream = sessionKeyStreamId(who.orgId, agentId, sessionKey);
    const { state } = await this.decisions.run(sessionKeyKind, keyStream, actorOf(who), (key) =>
      freeSessionKey({ generation: generation + 1, session_id: sessionId }, key),
    );
    return state.generation;
  }

  /** A bounded session past its time reads as deleted; meeting it on resolving makes that a fact (rule S42). */
  private async expire(who: Identity, sessionId: string, now: number): Promise<void> {
    await this.decisions.run(sessionKind, sessionId, actorOf(who), (session) =>
      session.status !== 'deleted' && isExpired(session, now) ? deleteSession({ now: rfc3339(now) }, session) : [],
    );
  }
}

/** Past its retention time (rule S42). */
export function isExpired(state: SessionState, now: number): boolean {
  if (!state.opening) return false;
  const end = expiresAt(state);
  return end !== null && state.open.size === 0 && Date.parse(end) <= now;
}
