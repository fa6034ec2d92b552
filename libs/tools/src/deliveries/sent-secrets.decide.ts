import { jsonBytes, sha256Hex } from '@aos/kernel';

/**
 * What must not come back of a call that brings its result later: what it was sent with, or a digest of that where it
 * is too much for a token. Null: the call had no account.
 */
export type SentSecrets = { values: string[] } | { digest: string };

/** In JSON: with the rest of a token it fits into a header of 8 KiB. */
export const sentBytesMax = 4 * 1024;

export function sentSecretsOf(secrets: readonly string[]): SentSecrets {
  const bytes = jsonBytes(secrets);
  return bytes <= sentBytesMax ? { values: [...secrets] } : { digest: digestOf(secrets) };
}

/**
 * What to filter a result by that comes now: the account may have another secret by then, or the action none.
 *
 * Takes    what the call was sent with, null without an account or where that is not known; the account's secrets now.
 * Gives    all of both; null where what was sent is not known any more.
 * Source   rules TE22, TE81.
 */
export function secretsToFilter(sent: SentSecrets | null, now: readonly string[]): readonly string[] | null {
  if (sent === null) return now;
  if ('values' in sent) return [...new Set([...sent.values, ...now])];
  return sent.digest === digestOf(now) ? now : null;
}

function digestOf(secrets: readonly string[]): string {
  return sha256Hex(JSON.stringify(secrets));
}
