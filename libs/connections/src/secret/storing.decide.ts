import { notFound } from '@aos/kernel';
import type { SecretEvent } from './secret.events.js';
import type { SecretState } from './secret.state.js';

/**
 * Puts a secret in place of the one before.
 *
 * Takes    how its values are sealed for the version that it gets.
 * Refuses  not_found once the secret was erased.
 */
export function storeSecret(
  { orgId, seal }: { orgId: string; seal: (version: number) => Record<string, string> },
  { version, erased }: SecretState,
): SecretEvent[] {
  if (erased) throw notFound('connection');
  const next = version + 1;
  return [{ type: 'SecretStored', data: { org_id: orgId, version: next, values: seal(next) } }];
}

/** Takes the secret away for good. Nothing when it is gone. */
export function eraseSecret({ orgId }: { orgId: string }, { version, erased }: SecretState): SecretEvent[] {
  return erased ? [] : [{ type: 'SecretErased', data: { org_id: orgId, version: version + 1 } }];
}
