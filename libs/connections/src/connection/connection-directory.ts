import { Injectable } from '@nestjs/common';
import { looksLikeId, notFound, type Identity } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { ProviderDirectory } from '../provider/provider-directory.js';
import type { ConnectionRecord } from './connection.events.js';
import { connectionKind } from './connection.state.js';
import { isVisible } from './reach.decide.js';

/** Connections, read fresh from their streams. */
@Injectable()
export class ConnectionDirectory {
  constructor(
    private readonly decisions: Decisions,
    private readonly providers: ProviderDirectory,
  ) {}

  /** The live connection as it stands; null for an id that is unknown, deleted or of another organization. */
  async find(orgId: string, connectionId: string): Promise<ConnectionRecord | null> {
    if (!looksLikeId('conn', connectionId)) return null;
    const { state, revision } = await this.decisions.load(connectionKind, connectionId);
    const { connection } = state;
    if (revision < 0) this.decisions.forget(connectionKind, connectionId);
    return connection?.org_id === orgId && connection.deleted_at === null ? this.standing(connection) : null;
  }

  /** As `find`, within a caller's reach. Refuses not_found. */
  async visible(who: Identity, connectionId: string): Promise<ConnectionRecord> {
    const connection = await this.find(who.orgId, connectionId);
    if (!connection || !isVisible(connection, who)) throw notFound('connection');
    return connection;
  }

  /** An account waits for its owner once its provider is another one, or gone (rule TE21). */
  private async standing(connection: ConnectionRecord): Promise<ConnectionRecord> {
    const { org_id: orgId, kind, status, provider: name, oauth } = connection;
    if (kind !== 'oauth2_authorization_code' || status !== 'active' || name === null) return connection;
    const provider = await this.providers.find(orgId, name);
    return provider?.version === oauth?.provider_version
      ? connection
      : { ...connection, status: 'needs_authorization' };
  }
}
