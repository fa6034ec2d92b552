import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply } from '@aos/contract';
import { ReadStore, collectionOf, type Identity } from '@aos/kernel';
import { CursorSeal, Projectors, listScope, visibleList } from '@aos/platform';
import { ConnectionDirectory } from '../connection/connection-directory.js';
import { connectionsProjection } from '../connection/connection.projection.js';
import { connectionWire } from '../connection/connection.wire.js';
import { isVisible } from '../connection/reach.decide.js';
import { MendedConnections } from './mended-connections.js';

@Injectable()
export class ConnectionQueries {
  constructor(
    private readonly readStore: ReadStore,
    private readonly directory: ConnectionDirectory,
    private readonly mended: MendedConnections,
    private readonly projectors: Projectors,
    private readonly seal: CursorSeal,
  ) {}

  /** Refuses not_found. */
  async get(who: Identity, connectionId: string): Promise<Reply<'getConnection'>> {
    return connectionWire(await this.mended.visible(who, connectionId));
  }

  /** Oldest first, within the caller's reach. */
  async list(who: Identity, filter: QueryOf<'listConnections'>): Promise<Reply<'listConnections'>> {
    const { provider } = filter;
    const collection = collectionOf(connectionsProjection);
    this.projectors.requireCaughtUp(collection);
    const where = provider === undefined ? [] : [{ index: 'provider', eq: provider }];
    const scope = listScope(who.orgId, 'connections', { ...filter });
    return visibleList(
      this.readStore,
      { collection, scope: [who.orgId], where, orderBy: { index: 'created', direction: 'asc' } },
      { ...filter, seal: this.seal, scope },
      async ({ key }) => {
        const connection = await this.directory.find(who.orgId, key);
        return connection && isVisible(connection, who) ? connectionWire(connection) : null;
      },
    );
  }
}
