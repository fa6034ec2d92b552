import { apiKeyId, bearerKey } from '@aos/platform';

interface Kept {
  authorization: string;
  keyId: string;
}

/**
 * The id of the key in an `authorization` header. It costs a hash of the key, so the last one of each connection is
 * kept: it follows from the header's bytes alone, and says nothing of what the key may do (rule TP15).
 */
export class KeyIds {
  private readonly kept = new WeakMap<object, Kept>();

  /** Takes the header, and what it came on. Gives null for a header that cannot hold a key. */
  of(authorization: string | undefined, connection?: object): string | null {
    const kept = connection && this.kept.get(connection);
    if (kept && kept.authorization === authorization) return kept.keyId;
    const key = bearerKey(authorization);
    if (key === null || authorization === undefined) return null;
    const keyId = apiKeyId(key);
    if (connection) this.kept.set(connection, { authorization, keyId });
    return keyId;
  }
}
