import { notFound } from '@aos/kernel';
import type { SealedSecrets, SecretEvent } from './secret.events.js';
import type { SecretState } from './secret.state.js';

/** What is put in place of what is stored, sealed for its version. */
export type SealedChange = Pick<SealedSecrets, 'values' | 'token' | 'code_of'>;

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

/**
 * Changes a part of what is stored.
 *
 * Takes    what is put in place of what is there, for the version that it gets; null: nothing is.
 * Refuses  not_found once the secret was erased.
 */
export function changeSecret(
  { orgId, change }: { orgId: string; change: (stored: SealedSecrets | null, version: number) => SealedChange | null },
  { stored, version, erased }: SecretState,
): SecretEvent[] {
  if (erased) throw notFound('connection');
  const next = version + 1;
  const changed = change(stored, next);
  return changed ? [{ type: 'SecretStored', data: { org_id: orgId, version: next, ...changed } }] : [];
}

/** The same values under another master key, and the same version. Nothing when others took their place. */
export function resealSecret(
  { version, values }: { version: number; values: Record<string, string> },
  { stored }: SecretState,
): SecretEvent[] {
  return stored?.version === version ? [{ type: 'SecretStored', data: { ...stored, values } }] : [];
}

/** Takes the secret away for good. Nothing when it is gone. */
export function eraseSecret({ orgId }: { orgId: string }, { version, erased }: SecretState): SecretEvent[] {
  return erased ? [] : [{ type: 'SecretErased', data: { org_id: orgId, version: version + 1 } }];
}
