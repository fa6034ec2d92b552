import type { ConnectionEvent, ConnectionOAuth, ConnectionRecord } from '../connection/connection.events.js';
import type { ConnectionState } from '../connection/connection.state.js';
import type { TokenFacts } from '../secret/secret.events.js';

/**
 * Whether an access token serves a caller who saw that of try `stale` (0: none).
 *
 * Takes    what is known of the one that is stored; null: there is none.
 */
export function serves(oauth: ConnectionOAuth, token: TokenFacts | null, stale: number): token is TokenFacts {
  return token !== null && token.attempt > stale && token.attempt >= oauth.valid_from;
}

/**
 * Begins a try at the token endpoint: the fence that lets one process ask and the others wait.
 *
 * Takes    the number of tries that the caller saw.
 * Gives    nothing while another try or the end of a flow is under way, after a try that the caller did not see, and
 *          for a connection that is gone or waits for its owner.
 * Source   rule TE25.
 */
export function beginRefresh(
  { seen, now, until }: { seen: number; now: string; until: string },
  { connection }: ConnectionState,
): ConnectionEvent[] {
  if (!connection?.oauth || connection.deleted_at !== null || connection.status !== 'active') return [];
  const { oauth } = connection;
  const isRedeeming = oauth.flow?.status === 'redeemed' && oauth.flow.expires_at > now;
  if (oauth.attempt !== seen || isRedeeming || (oauth.refresh && oauth.refresh.until > now)) return [];
  const attempt = seen + 1;
  const next = withOAuth(connection, { attempt, refresh: { attempt, until } });
  return [{ type: 'RefreshBegun', data: { connection: next, attempt, until } }];
}

type Ended = { attempt: number; reason: string; now: string };

/** The try ended without a token. Nothing once a later one began. */
export function failRefresh({ attempt, reason }: Ended, { connection }: ConnectionState): ConnectionEvent[] {
  if (!connection || !isUnderWay(connection, attempt)) return [];
  return [{ type: 'RefreshFailed', data: { connection: withOAuth(connection, { refresh: null }), attempt, reason } }];
}

/** The issuer refused what is stored: the owner authorizes anew, or rotates. Nothing once a later try began. */
export function loseAuthorization({ attempt, reason, now }: Ended, { connection }: ConnectionState): ConnectionEvent[] {
  if (!connection || !isUnderWay(connection, attempt)) return [];
  const next = { ...withOAuth(connection, { refresh: null }), status: 'needs_authorization' as const, updated_at: now };
  return [{ type: 'AuthorizationLost', data: { connection: next, attempt, reason } }];
}

function isUnderWay({ oauth, deleted_at: deletedAt }: ConnectionRecord, attempt: number): boolean {
  return deletedAt === null && oauth?.refresh?.attempt === attempt;
}

/** The record with other members of `oauth`. */
export function withOAuth(connection: ConnectionRecord, change: Partial<ConnectionOAuth>): ConnectionRecord {
  return connection.oauth ? { ...connection, oauth: { ...connection.oauth, ...change } } : connection;
}
