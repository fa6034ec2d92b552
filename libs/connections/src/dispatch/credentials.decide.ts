import type { ConnectionRecord } from '../connection/connection.events.js';
import type { OpenedSecrets } from '../secret/secret.events.js';

/** The headers of one call, and all that must not come back (rule TE22). In the clear: for this process only. */
export interface Credentials {
  headers: Record<string, string>;
  secrets: readonly string[];
}

/** What a connection sends. Null when its secret is not there, or its kind calls no actions. */
export function credentialsOf(
  { kind, header, format, username, header_names: names }: ConnectionRecord,
  opened: OpenedSecrets,
): Credentials | null {
  if (kind === 'headers') {
    const headers = Object.fromEntries(names.flatMap((name) => (opened[name] ? [[name, opened[name]]] : [])));
    return names.length > 0 && Object.keys(headers).length === names.length ? sent(headers, []) : null;
  }
  const { secret } = opened;
  if (secret === undefined) return null;
  if (kind === 'api_key' && header !== null && format !== null)
    return sent({ [header]: format.replaceAll('{secret}', () => secret) }, [secret]);
  if (kind === 'basic' && username !== null) {
    const token = Buffer.from(`${username}:${secret}`).toString('base64');
    return sent({ Authorization: `Basic ${token}` }, [secret, token]);
  }
  return null;
}

/** What an access token is sent as. */
export function bearerOf(token: string): Credentials {
  return sent({ Authorization: `Bearer ${token}` }, [token]);
}

/** Header values are sent as the bytes of their UTF-8. */
function sent(headers: Record<string, string>, secrets: string[]): Credentials {
  const encoded = Object.entries(headers).map(([name, value]) => [name, Buffer.from(value).toString('latin1')]);
  return {
    headers: Object.fromEntries(encoded) as Record<string, string>,
    secrets: [...new Set([...secrets, ...Object.values(headers)])],
  };
}
