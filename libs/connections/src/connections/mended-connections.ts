import { Injectable } from '@nestjs/common';
import type { Identity } from '@aos/kernel';
import { ReleaseWrites, actorOf } from '@aos/platform';
import { ConnectionDirectory } from '../connection/connection-directory.js';
import type { ConnectionRecord } from '../connection/connection.events.js';
import { managed } from '../connection/reach.decide.js';
import { FollowedSecrets } from '../tokens/followed-secrets.js';

/** Connections whose record tells of the secret that is in place. */
@Injectable()
export class MendedConnections {
  constructor(
    private readonly directory: ConnectionDirectory,
    private readonly secrets: FollowedSecrets,
    private readonly writes: ReleaseWrites,
  ) {}

  /** The connection within the caller's reach; beside the release before as its record tells it. Refuses not_found. */
  async visible(who: Identity, connectionId: string): Promise<ConnectionRecord> {
    const connection = await this.directory.visible(who, connectionId);
    if (this.writes.allowed === 'previous') return connection;
    const { moved } = await this.secrets.of(connection, actorOf(who));
    return moved ? this.directory.visible(who, connectionId) : connection;
  }

  /** As `visible`, for a caller who changes it. Refuses permission_denied; upgrade_pending. */
  async managed(who: Identity, connectionId: string): Promise<ConnectionRecord> {
    const connection = managed(await this.visible(who, connectionId), who);
    this.writes.requireFeature('connections');
    return connection;
  }
}
