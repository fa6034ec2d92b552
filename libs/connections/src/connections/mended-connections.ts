import { Injectable } from '@nestjs/common';
import { Clock, notFound, rfc3339, type Identity } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { connectionDecider } from '../connection.decider.js';
import { ConnectionDirectory } from '../connection/connection-directory.js';
import type { ConnectionRecord } from '../connection/connection.events.js';
import { ConnectionSecrets } from '../secret/connection-secrets.js';

/**
 * Connections whose record tells of the secret that is in place. A secret is written before its record: a process that
 * died in between leaves the record behind, and the next look brings it there.
 */
@Injectable()
export class MendedConnections {
  constructor(
    private readonly directory: ConnectionDirectory,
    private readonly secrets: ConnectionSecrets,
    private readonly decisions: Decisions,
    private readonly clock: Clock,
  ) {}

  /** The connection within the caller's reach. Refuses not_found. */
  async visible(who: Identity, connectionId: string): Promise<ConnectionRecord> {
    const connection = await this.directory.visible(who, connectionId);
    const { version, erased, names } = await this.secrets.facts(who.orgId, connectionId);
    if (version <= connection.secret_version) return connection;
    const now = rfc3339(this.clock.now());
    const command = { version, erased, names, by: who.principalId, now };
    const { state } = await this.decisions.decide(connectionDecider.followSecret, connectionId, actorOf(who), command);
    if (!state.connection || state.connection.deleted_at !== null) throw notFound('connection');
    return state.connection;
  }
}
