import { collectionOf } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { ConnectionEvent } from './connection.events.js';
import { connectionKind, type ConnectionState } from './connection.state.js';

/** What the rows' index has of an owner. */
export function ownerIndex({ id }: { id: string | null }): string {
  return id ?? 'team';
}

/** Live connections for lists and for the choice at dispatch. The record itself is read fresh. */
export const connectionsProjection: StreamProjection<ConnectionState, ConnectionEvent> = {
  name: 'connections',
  version: 1,
  kind: connectionKind,
  rows({ state: { connection }, revision }) {
    if (!connection) return [];
    const row = {
      collection: collectionOf(connectionsProjection),
      scope: [connection.org_id],
      key: connection.id,
      revision,
    };
    if (connection.deleted_at !== null) return [{ ...row, doc: null, index: {} }];
    const index: Record<string, string> = {
      created: `${connection.created_at} ${connection.id}`,
      owner: ownerIndex(connection.owner),
    };
    if (connection.provider !== null) index.provider = connection.provider;
    return [{ ...row, doc: {}, index }];
  },
};
