import { Injectable } from '@nestjs/common';
import { Clock, Refusal } from '@aos/kernel';
import { CommandSender } from '@aos/platform';
import { organizationIdentity } from '@aos/access/published';
import type { ConnectionOAuth, ConnectionRecord } from '../connection/connection.events.js';
import { tokenMarginMs } from '../connection/connection.limits.js';
import { ConnectionSecrets, type OpenedWithFacts } from '../secret/connection-secrets.js';
import { RefreshConnection, type RefreshOutcome } from '../tokens/refreshing.commands.js';
import { serves } from '../tokens/refreshing.decide.js';

export type TokenFault = 'connection_not_granted' | 'connection_needs_authorization' | 'connection_token_unavailable';

/** An access token in the clear, and the try that fetched it: for one call only. */
export interface AccessToken {
  token: string;
  attempt: number;
}

const faults: Readonly<Record<Exclude<RefreshOutcome, 'ready'>, TokenFault>> = {
  gone: 'connection_not_granted',
  needs_authorization: 'connection_needs_authorization',
  failed: 'connection_token_unavailable',
};

/**
 * Access tokens where calls leave: opened here, fetched by blueprint-service when the stored one is about to end (rule
 * TE25).
 */
@Injectable()
export class AccessTokens {
  constructor(
    private readonly secrets: ConnectionSecrets,
    private readonly sender: CommandSender,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes    the try of a token that was refused with 401; 0: none was.
   * Gives    a fault where there is none to be had. Throws `SealBroken`, `StoreUnavailable`.
   */
  async of(
    { org_id: orgId, id }: ConnectionRecord,
    oauth: ConnectionOAuth,
    refused = 0,
  ): Promise<AccessToken | { fault: TokenFault }> {
    const stored = await this.secrets.openedWithFacts(orgId, id);
    const current = stored && tokenIn(stored, oauth, refused);
    if (current && !this.isEnding(stored)) return current;
    const stale = Math.max(refused, stored?.token?.attempt ?? 0);
    const outcome = await this.refreshed(orgId, id, stale);
    if (outcome !== 'ready') return { fault: faults[outcome] };
    const fetched = await this.secrets.openedWithFacts(orgId, id);
    return (fetched && tokenIn(fetched, oauth, stale)) ?? { fault: 'connection_token_unavailable' };
  }

  /** While the release before runs beside, no token is fetched (rule VER7). */
  private async refreshed(orgId: string, id: string, stale: number): Promise<RefreshOutcome> {
    const deliveryId = `refresh-${id}-${stale}`;
    const identity = organizationIdentity(orgId, deliveryId);
    const command = new RefreshConnection(identity, { connection_id: id, stale }, deliveryId);
    try {
      return (await this.sender.send(command)).outcome;
    } catch (error) {
      if (error instanceof Refusal && error.code === 'upgrade_pending') return 'failed';
      throw error;
    }
  }

  private isEnding({ token }: OpenedWithFacts): boolean {
    const endsAt = token?.expires_at ?? null;
    return endsAt !== null && Date.parse(endsAt) - tokenMarginMs <= this.clock.now();
  }
}

function tokenIn({ values, token }: OpenedWithFacts, oauth: ConnectionOAuth, stale: number): AccessToken | null {
  const { access_token: text } = values;
  return text !== undefined && serves(oauth, token, stale) ? { token: text, attempt: token.attempt } : null;
}
