import { Injectable } from '@nestjs/common';
import { looksLikeId, notFound, type Identity } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import type { ConnectionRecord } from './connection.events.js';
import { connectionKind } from './connection.state.js';
import { isVisible } from './reach.decide.js';

/** Connections, read fresh from their streams. */
@Injectable()
export class ConnectionDirectory {
  constructor(private readonly decisions: Decisions) {}

  /** The live connection; null for an id that is unknown, deleted or of another organization. */
  async find(orgId: string, connectionId: string): Promise<ConnectionRecord | null> {
    if (!looksLikeId('conn', connectionId)) return null;
    const { state, revision } = await this.decisions.load(connectionKind, connectionId);
    const { connection } = state;
    if (revision < 0) this.decisions.forget(connectionKind, connectionId);
    return connection?.org_id === orgId && connection.deleted_at === null ? connection : null;
  }

  /** As `find`, within a caller's reach. Refuses not_found. */
  async visible(who: Identity, connectionId: string): Promise<ConnectionRecord> {
    const connection = await this.find(who.orgId, connectionId);
    if (!connection || !isVisible(connection, who)) throw notFound('connection');
    return connection;
  }
}
