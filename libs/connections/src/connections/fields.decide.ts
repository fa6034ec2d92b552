import type { RequestBody } from '@aos/contract';
import { invalidArgument } from '@aos/kernel';
import type { ConnectionKind, ConnectionRecord } from '../connection/connection.events.js';
import { requireHeader, requireFormat } from './headers.decide.js';

export type NewConnection = RequestBody<'createConnection'>;
export type ConnectionFields = Pick<
  ConnectionRecord,
  'hosts' | 'header' | 'format' | 'username' | 'url' | 'client_id' | 'token_endpoint'
>;
type Wanted = Partial<
  Pick<NewConnection, 'hosts' | 'header' | 'format' | 'username' | 'url' | 'client_id' | 'token_endpoint'>
>;

const defaultHeader = 'Authorization';
const secretAlone = '{secret}';
/** Kinds that only the team has (rule TE20). */
export const teamKinds: ReadonlySet<ConnectionKind> = new Set(['smtp', 'channel_webhook']);

const none: ConnectionFields = {
  hosts: [],
  header: null,
  format: null,
  username: null,
  url: null,
  client_id: null,
  token_endpoint: null,
};

/**
 * The fields that a kind uses, from a body and those there are; what it does not use is ignored.
 *
 * Takes    hosts in their normal form.
 * Refuses  invalid_argument {argument} for one that is missing or cannot be used: a header of ours, a format without
 *          the secret, a user name with a colon, an address on another host.
 */
export function fieldsOf(
  kind: ConnectionKind,
  wanted: Wanted,
  hosts: readonly string[] | null,
  current: ConnectionFields = none,
): ConnectionFields {
  const fields: ConnectionFields = { ...none, hosts: [...(hosts ?? current.hosts)] };
  if (fields.hosts.length === 0) throw invalidArgument('hosts', 'it needs the origins that its secret may go to');
  switch (kind) {
    case 'api_key':
      fields.header = wanted.header ?? current.header ?? defaultHeader;
      fields.format = wanted.format ?? current.format ?? secretAlone;
      requireHeader('header', fields.header);
      requireFormat(fields.format);
      break;
    case 'basic':
    case 'smtp':
      fields.username = wanted.username ?? current.username;
      requireUsername(fields.username, kind);
      break;
    case 'channel_webhook':
      fields.url = wanted.url ?? current.url;
      requireUrl(fields.url, fields.hosts);
      break;
    case 'oauth2_client_credentials':
      fields.client_id = wanted.client_id ?? current.client_id;
      fields.token_endpoint = wanted.token_endpoint ?? current.token_endpoint;
      if (fields.client_id === null) throw invalidArgument('client_id', 'it needs the id of its client');
      if (fields.token_endpoint === null)
        throw invalidArgument('token_endpoint', 'it needs the address that gives it tokens');
      break;
    case 'oauth2_authorization_code':
      return {
        ...fields,
        hosts: [...current.hosts],
        client_id: current.client_id,
        token_endpoint: current.token_endpoint,
      };
    case 'headers':
      break;
  }
  return fields;
}

function requireUsername(username: string | null, kind: ConnectionKind): void {
  if (username === null) throw invalidArgument('username', 'it needs a user name');
  if (kind === 'basic' && username.includes(':')) throw invalidArgument('username', 'must not hold a colon');
  if (/\p{Cc}/u.test(username)) throw invalidArgument('username', 'must not hold control characters');
}

function requireUrl(url: string | null, hosts: readonly string[]): void {
  if (url === null) throw invalidArgument('url', 'it needs the address that messages go to');
  const target = URL.canParse(url) ? new URL(url) : null;
  if (!target || target.username !== '' || target.password !== '' || !hosts.includes(target.origin))
    throw invalidArgument('url', 'must lie on one of its hosts');
}
