import { Injectable, Logger } from '@nestjs/common';
import { Clock, Refusal, rfc3339 } from '@aos/kernel';
import { Decisions, serviceActor, type Actor } from '@aos/platform';
import { systemPrincipalId } from '@aos/access/published';
import { connectionDecider } from '../connection.decider.js';
import { ConnectionDirectory } from '../connection/connection-directory.js';
import type { ConnectionKind, ConnectionOAuth, ConnectionRecord } from '../connection/connection.events.js';
import { refreshMs } from '../connection/connection.limits.js';
import { ConnectionSecrets } from '../secret/connection-secrets.js';
import { FollowedSecrets } from './followed-secrets.js';
import { RefreshRequests, type RestsOn } from './refresh-requests.js';
import type { RefreshOutcome } from './refreshing.commands.js';
import { serves } from './refreshing.decide.js';
import type { GrantedTokens } from './token-answer.decide.js';
import { TokenEndpoint } from './token-endpoint.js';

const pollMs = 100;
/** Longer than one try of another process may last. */
const waitMsMax = refreshMs + 15_000;

/** Errors after which the same request is refused again, by kind; a wrong client of a provider is its own matter. */
const finalErrors: Readonly<Partial<Record<ConnectionKind, readonly string[]>>> = {
  oauth2_client_credentials: ['invalid_client', 'unauthorized_client', 'invalid_grant'],
  oauth2_authorization_code: ['invalid_grant'],
};

/** Fetches access tokens, one process at a time for a connection (rule TE25). */
@Injectable()
export class TokenRefreshes {
  private readonly log = new Logger('connections');
  /** Callers of this process wait together. */
  private readonly underWay = new Map<string, Promise<RefreshOutcome>>();

  constructor(
    private readonly decisions: Decisions,
    private readonly directory: ConnectionDirectory,
    private readonly secrets: ConnectionSecrets,
    private readonly followed: FollowedSecrets,
    private readonly requests: RefreshRequests,
    private readonly endpoint: TokenEndpoint,
    private readonly clock: Clock,
  ) {}

  /** Waits for another process that asks, at most until its try is over. Throws `StoreUnavailable`. */
  refreshed(orgId: string, connectionId: string, stale: number): Promise<RefreshOutcome> {
    const key = `${orgId} ${connectionId} ${stale}`;
    const known = this.underWay.get(key);
    if (known) return known;
    const outcome = this.fetched(orgId, connectionId, stale).finally(() => this.underWay.delete(key));
    this.underWay.set(key, outcome);
    return outcome;
  }

  private async fetched(orgId: string, connectionId: string, stale: number): Promise<RefreshOutcome> {
    const endsAt = this.clock.monotonic() + waitMsMax;
    const actor = serviceActor(orgId, systemPrincipalId(orgId), `refresh-${connectionId}`);
    for (let waitedFor = 0; ;) {
      // the record first: tokens that it tells of are stored
      const connection = await this.directory.find(orgId, connectionId);
      const oauth = connection?.oauth;
      if (!connection || !oauth) return 'gone';
      const { facts, moved } = await this.followed.of(connection, actor);
      if (serves(oauth, facts.token, stale)) return 'ready';
      if (moved) continue;
      if (connection.status !== 'active') return 'needs_authorization';
      if (this.isUnderWay(oauth)) waitedFor = oauth.attempt;
      else if (waitedFor === oauth.attempt && waitedFor > 0 && oauth.refresh === null) return 'failed';
      else {
        const attempt = await this.begun(connection, oauth, actor);
        if (attempt !== null) return this.ask(connection, { attempt, stale }, actor);
      }
      if (this.clock.monotonic() >= endsAt) return 'failed';
      await this.clock.sleep(pollMs);
    }
  }

  private isUnderWay({ refresh }: ConnectionOAuth): boolean {
    return refresh !== null && refresh.until > rfc3339(this.clock.now());
  }

  /** The number of the try that this process may make; null when another one may. */
  private async begun({ id }: ConnectionRecord, { attempt }: ConnectionOAuth, actor: Actor): Promise<number | null> {
    const now = this.clock.now();
    const command = { seen: attempt, now: rfc3339(now), until: rfc3339(now + refreshMs) };
    const { events } = await this.decisions.decide(connectionDecider.beginRefresh, id, actor, command);
    return events.length > 0 ? attempt + 1 : null;
  }

  private async ask(
    connection: ConnectionRecord,
    { attempt, stale }: { attempt: number; stale: number },
    actor: Actor,
  ): Promise<RefreshOutcome> {
    const { id, kind } = connection;
    const asked = await this.requests.ask(connection);
    if ('lost' in asked) return this.lost(id, attempt, asked.lost, actor);
    if ('failed' in asked) return this.failed(id, attempt, asked.failed, actor);
    const { answer, from } = asked;
    if ('granted' in answer) return this.kept(id, { attempt, from, tokens: answer.granted }, actor);
    if ('failed' in answer) return this.failed(id, attempt, answer.failed, actor);
    const { token } = await this.secrets.facts(actor.orgId, id);
    if (connection.oauth && serves(connection.oauth, token, stale)) {
      await this.failed(id, attempt, 'superseded', actor); // the answer of an earlier try came late
      return 'ready';
    }
    const isFinal = finalErrors[kind]?.includes(answer.refused) ?? false;
    return this[isFinal ? 'lost' : 'failed'](id, attempt, answer.refused, actor);
  }

  /** An answer that comes after a later try began is dropped. */
  private async kept(
    id: string,
    { attempt, from, tokens }: { attempt: number; from: RestsOn; tokens: GrantedTokens },
    actor: Actor,
  ): Promise<RefreshOutcome> {
    const current = await this.directory.find(actor.orgId, id);
    if (!current?.oauth) return 'gone';
    if (current.oauth.attempt !== attempt) return 'failed';
    const { accessToken, refreshToken } = tokens;
    const stored = { attempt, expires_at: this.endpoint.endOf(tokens), accessToken, refreshToken };
    try {
      const isStored = await this.secrets.putTokens(id, actor, stored, { of: 'refreshed', from });
      if (!isStored) return await this.failed(id, attempt, 'superseded', actor);
    } catch (error) {
      if (error instanceof Refusal && error.code === 'not_found') return 'gone';
      throw error;
    }
    await this.followed.of(current, actor);
    return 'ready';
  }

  private async failed(id: string, attempt: number, reason: string, actor: Actor): Promise<RefreshOutcome> {
    this.log.warn(`${id}: no access token: ${reason}`);
    const command = { attempt, reason, now: rfc3339(this.clock.now()) };
    await this.decisions.decide(connectionDecider.failRefresh, id, actor, command);
    return 'failed';
  }

  private async lost(id: string, attempt: number, reason: string, actor: Actor): Promise<RefreshOutcome> {
    this.log.warn(`${id}: its authorization is over: ${reason}`);
    const command = { attempt, reason, now: rfc3339(this.clock.now()) };
    await this.decisions.decide(connectionDecider.loseAuthorization, id, actor, command);
    return 'needs_authorization';
  }
}
