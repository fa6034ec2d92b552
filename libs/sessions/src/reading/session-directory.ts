import { Injectable } from '@nestjs/common';
import { looksLikeId, notFound, type Identity, type Viewer } from '@aos/kernel';
import { Decisions, actorOf, type Loaded } from '@aos/platform';
import { OrganizationSalts } from '@aos/access/published';
import { AgentDirectory } from '@aos/definitions/published';
import { sessionDecider } from '../session.decider.js';
import { sessionKeyDecider } from '../session-key.decider.js';
import { sessionIdFor, sessionKeyStreamId } from '../session/session.ids.js';
import { sessionKind, type SessionState } from '../session/session.state.js';
import { withinReach } from '../session/session.wire.js';
import { isExpired } from '../session/lifecycle.decide.js';
import { sessionKeyKind } from '../session-key/session-key.state.js';
import { isOwnDefault, sharedDefaultKey } from '../session-key/session-keys.decide.js';

const generationsMax = 1000;

/** A live session, as it was judged. */
export interface FoundSession extends Loaded<SessionState> {
  sessionId: string;
}

/** What a key means now: a live session, or the id under which a new one would be opened. */
export interface ResolvedKey {
  sessionId: string;
  /** Null: none is live. */
  live: FoundSession | null;
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
  async visible(who: Identity, sessionId: string, now: number): Promise<Loaded<SessionState>> {
    const seen = await this.seenBy(who, sessionId, now);
    if (!seen) throw notFound('session');
    return seen;
  }

  /** As `visible`, for the one that reach is judged by. */
  async isVisible(viewer: Viewer & Pick<Identity, 'actsFor'>, sessionId: string, now: number): Promise<boolean> {
    return (await this.seenBy(viewer, sessionId, now)) !== null;
  }

  /** Whether a session is, or was before it was deleted, within the viewer's reach: its id may be named then. */
  async mayName(viewer: Viewer & Pick<Identity, 'actsFor'>, sessionId: string): Promise<boolean> {
    if (!looksLikeId('ses', sessionId)) return false;
    const { state } = await this.decisions.load(sessionKind, sessionId);
    return this.reaches(viewer, { ...state, status: 'active' });
  }

  /** The state that was judged; null when it is out of the viewer's reach. */
  private async seenBy(
    viewer: Viewer & Pick<Identity, 'actsFor'>,
    sessionId: string,
    now: number,
  ): Promise<Loaded<SessionState> | null> {
    if (!looksLikeId('ses', sessionId)) return null;
    const { state, revision } = await this.decisions.load(sessionKind, sessionId);
    return !isExpired(state, now) && (await this.reaches(viewer, state)) ? { state, revision } : null;
  }

  /** Whether a session and its agent are within the viewer's reach (rule A28). */
  async reaches(viewer: Viewer & Pick<Identity, 'actsFor'>, session: SessionState): Promise<boolean> {
    if (!withinReach(session, viewer)) return false;
    const agent = await this.agents.agent(viewer.orgId, session.opening?.agent_id ?? '');
    return !agent || this.agents.canSee(agent, viewer);
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
      const { state, revision } = await this.decisions.load(sessionKind, sessionKey);
      if (hasKey(state, who.orgId, agentId, sessionKey)) {
        if (!isExpired(state, now)) return { sessionId: sessionKey, live: { sessionId: sessionKey, state, revision } };
        await this.expire(who, sessionKey, now);
      }
    }
    const salt = await this.salts.of(who.orgId);
    let generation = 0;
    for (let attempt = 0; attempt < generationsMax; attempt += 1) {
      const sessionId = sessionIdFor(salt, agentId, sessionKey, generation);
      const { state, revision } = await this.decisions.load(sessionKind, sessionId);
      if (!state.opening) return { sessionId, live: null };
      if (state.status !== 'deleted' && !isExpired(state, now))
        return { sessionId, live: { sessionId, state, revision } };
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
    return older === null ? resolved : { sessionId: older.sessionId, live: older };
  }

  /** The live session under a key that a caller means, without repairing anything; null when there is none. */
  async findMeant(who: Identity, agentId: string, meant: string, now: number): Promise<FoundSession | null> {
    return (
      (await this.find(who, agentId, meant)) ?? (isOwnDefault(meant) ? this.defaultFromBefore(who, agentId, now) : null)
    );
  }

  /** The session that a person owns under the key that all callers shared before rule S47. */
  private async defaultFromBefore(who: Identity, agentId: string, now: number): Promise<FoundSession | null> {
    const found = await this.find(who, agentId, sharedDefaultKey);
    return found?.state.opening?.owner.id === who.principalId && !isExpired(found.state, now) ? found : null;
  }

  private async find(who: Identity, agentId: string, sessionKey: string): Promise<FoundSession | null> {
    const { state: key } = await this.decisions.load(
      sessionKeyKind,
      sessionKeyStreamId(who.orgId, agentId, sessionKey),
    );
    const derived = sessionIdFor(await this.salts.of(who.orgId), agentId, sessionKey, key.generation);
    for (const candidate of looksLikeId('ses', sessionKey) ? [sessionKey, derived] : [derived]) {
      const { state, revision } = await this.decisions.load(sessionKind, candidate);
      if (hasKey(state, who.orgId, agentId, sessionKey)) return { sessionId: candidate, state, revision };
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
    const command = { generation: generation + 1, session_id: sessionId };
    const { state } = await this.decisions.decide(sessionKeyDecider.freeSessionKey, keyStream, actorOf(who), command);
    return state.generation;
  }

  /** A bounded session past its time reads as deleted; meeting it on resolving makes that a fact (rule S42). */
  private async expire(who: Identity, sessionId: string, now: number): Promise<void> {
    await this.decisions.decide(sessionDecider.expireSession, sessionId, actorOf(who), { now });
  }
}

/** Whether a session that is not deleted has this key with an agent of an organization. */
function hasKey({ opening, status }: SessionState, orgId: string, agentId: string, sessionKey: string): boolean {
  return (
    opening !== null &&
    status !== 'deleted' &&
    opening.org_id === orgId &&
    opening.agent_id === agentId &&
    opening.session_key === sessionKey
  );
}
