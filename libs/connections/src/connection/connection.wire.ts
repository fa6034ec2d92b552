import type { Schema } from '@aos/contract';
import { withoutNulls } from '@aos/kernel';
import type { ConnectionRecord, GrantedAction } from './connection.events.js';

/** The contract's `Connection`. */
export function connectionWire(connection: ConnectionRecord): Schema<'Connection'> {
  const { provider, header, format, username, url, client_id, token_endpoint, header_names: names } = connection;
  const { principal_ids, everyone, actions } = connection.grants;
  return {
    id: connection.id,
    name: connection.name,
    kind: connection.kind,
    owner: { ...connection.owner },
    hosts: [...connection.hosts],
    status: connection.status,
    grants: { principal_ids: [...principal_ids], everyone, actions: actions.map(grantedWire) },
    created_at: connection.created_at,
    updated_at: connection.updated_at,
    ...withoutNulls({ provider, header, format, username, url, client_id, token_endpoint }),
    ...(names.length > 0 && { headers: [...names] }),
  };
}

function grantedWire({ principal_id, name, endpoint_url }: GrantedAction): Schema<'ConnectionGrantedAction'> {
  return { principal_id, name, ...(endpoint_url !== null && { endpoint_url }) };
}
