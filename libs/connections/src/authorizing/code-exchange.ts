import { Injectable, Logger } from '@nestjs/common';
import { notFound } from '@aos/kernel';
import { Decisions, SealBroken, type Actor } from '@aos/platform';
import { connectionDecider } from '../connection.decider.js';
import type { AuthorizationFlow, ConnectionRecord } from '../connection/connection.events.js';
import type { ConnectionState } from '../connection/connection.state.js';
import { ProviderDirectory } from '../provider/provider-directory.js';
import { ConnectionSecrets } from '../secret/connection-secrets.js';
import { FollowedSecrets } from '../tokens/followed-secrets.js';
import { RefreshRequests } from '../tokens/refresh-requests.js';
import type { TokenAnswer } from '../tokens/token-answer.decide.js';
import { TokenEndpoint } from '../tokens/token-endpoint.js';

/** Exchanges the code of a flow for tokens, once its record says that the code is used up. */
@Injectable()
export class CodeExchange {
  private readonly log = new Logger('connections');

  constructor(
    private readonly decisions: Decisions,
    private readonly providers: ProviderDirectory,
    private readonly secrets: ConnectionSecrets,
    private readonly followed: FollowedSecrets,
    private readonly clients: RefreshRequests,
    private readonly endpoint: TokenEndpoint,
  ) {}

  /** Gives why there are no tokens; null when they are stored. Refuses not_found for a connection that is gone. */
  async redeemed({ connection }: ConnectionState, actor: Actor, redirectUri: string): Promise<string | null> {
    const flow = connection?.oauth?.flow;
    if (!connection || !flow) throw notFound('connection');
    const answer = await this.answer(connection, flow, redirectUri);
    if (!('granted' in answer)) {
      const reason = 'refused' in answer ? answer.refused : answer.failed;
      await this.failed(connection.id, flow.id, reason, actor);
      return reason;
    }
    const { accessToken, refreshToken } = answer.granted;
    const { attempt } = flow;
    const tokens = { attempt, expires_at: this.endpoint.endOf(answer.granted), accessToken, refreshToken };
    if (!(await this.secrets.putTokens(connection.id, actor, tokens, { of: 'authorized', from: null }))) {
      await this.failed(connection.id, flow.id, 'superseded', actor);
      return 'superseded';
    }
    await this.followed.of(connection, actor);
    return null;
  }

  private async answer(
    { org_id: orgId, id, provider: name }: ConnectionRecord,
    flow: AuthorizationFlow,
    redirectUri: string,
  ): Promise<TokenAnswer> {
    const provider = await this.providers.find(orgId, name ?? '');
    if (provider?.version !== flow.provider.version) return { failed: 'provider_changed' };
    try {
      const client = await this.clients.clientOf(provider);
      const opened = await this.secrets.openedWithFacts(orgId, id);
      const { code, verifier } = opened?.codeOf === flow.id ? opened.values : {};
      if (!client || code === undefined || verifier === undefined) return { failed: 'secret_unreadable' };
      return await this.endpoint.ask(orgId, client, {
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
        redirect_uri: redirectUri,
        resource: flow.provider.resource,
      });
    } catch (error) {
      if (error instanceof SealBroken) return { failed: 'secret_unreadable' };
      throw error;
    }
  }

  private async failed(connectionId: string, flowId: string, reason: string, actor: Actor): Promise<void> {
    this.log.warn(`${connectionId}: no tokens for its code: ${reason}`);
    await this.secrets.dropCode(connectionId, actor, flowId);
    await this.decisions.decide(connectionDecider.failAuthorization, connectionId, actor, { flowId, reason });
  }
}
