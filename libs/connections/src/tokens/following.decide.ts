import type {
  AuthorizationFlow,
  ConnectionEvent,
  ConnectionOAuth,
  ConnectionRecord,
} from '../connection/connection.events.js';
import type { ConnectionState } from '../connection/connection.state.js';
import type { TokenFacts } from '../secret/secret.events.js';

/** What is stored now, without its values. */
interface Stored {
  version: number;
  erased: boolean;
  names: string[];
  token: TokenFacts | null;
}

/**
 * Brings the record to the secret that is in place: a newer one was stored, tokens came, or it was erased. Nothing when
 * the record tells of it, and for a code that its own request notes.
 */
export function followSecret(
  { version, erased, names, token, by, now }: Stored & { by: string; now: string },
  { connection }: ConnectionState,
): ConnectionEvent[] {
  if (!connection || connection.deleted_at !== null || version <= connection.secret_version) return [];
  const next: ConnectionRecord = { ...connection, secret_version: version, updated_by: by, updated_at: now };
  if (erased) return [{ type: 'ConnectionDeleted', data: { connection: { ...next, deleted_at: now } } }];
  const { oauth } = connection;
  if (oauth && token) return tokenCame(next, oauth, token, connection);
  if (connection.kind === 'oauth2_authorization_code') return [];
  const headers = connection.kind === 'headers' ? { header_names: [...names].sort() } : {};
  const credentials = oauth ? { status: 'active' as const, oauth: { ...oauth, refresh: null } } : {};
  return [{ type: 'ConnectionRotated', data: { connection: { ...next, ...headers, ...credentials } } }];
}

function tokenCame(
  next: ConnectionRecord,
  oauth: ConnectionOAuth,
  { attempt }: TokenFacts,
  before: ConnectionRecord,
): ConnectionEvent[] {
  const { flow } = oauth;
  if (flow?.status === 'redeemed' && flow.attempt === attempt) {
    const connection = authorized({ ...next, updated_by: flow.begun_by }, oauth, flow);
    return [{ type: 'ConnectionAuthorized', data: { connection, attempt } }];
  }
  if (oauth.refresh?.attempt !== attempt) return [];
  const connection = { ...before, secret_version: next.secret_version, oauth: { ...oauth, refresh: null } };
  return [{ type: 'TokenRefreshed', data: { connection, attempt } }];
}

/** The account stands with what its provider had when the flow began (rule TE21). */
function authorized(
  connection: ConnectionRecord,
  oauth: ConnectionOAuth,
  { attempt, provider }: AuthorizationFlow,
): ConnectionRecord {
  const { version, issuer, client_id, token_endpoint, hosts, scopes, resource } = provider;
  return {
    ...connection,
    client_id,
    token_endpoint,
    hosts: [...hosts],
    status: 'active',
    oauth: {
      ...oauth,
      scopes: [...scopes],
      resource,
      issuer,
      provider_version: version,
      valid_from: attempt,
      refresh: null,
      flow: null,
    },
  };
}
