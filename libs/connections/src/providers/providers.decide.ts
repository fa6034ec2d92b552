import { Refusal, notFound } from '@aos/kernel';
import type { ProviderEvent, ProviderRecord } from '../provider/provider.events.js';
import type { ProviderState } from '../provider/provider.state.js';

/** What a save sets; addresses and hosts in their normal form. */
export type ProviderFields = Pick<
  ProviderRecord,
  | 'client_id'
  | 'authorization_endpoint'
  | 'token_endpoint'
  | 'issuer'
  | 'scopes'
  | 'hosts'
  | 'resource'
  | 'iss_required'
  | 'iss_promised'
>;

/** A change of one of these makes connections that were authorized before wait for their owner (rule TE21). */
const authorizedAt = ['client_id', 'authorization_endpoint', 'token_endpoint', 'issuer', 'hosts'] as const;

/**
 * Saves a provider whole.
 *
 * Takes    its fields, and where its client's secret was just stored.
 * Refuses  conflict {reason: changed} when another save came in between: its secret is in place.
 */
export function saveProvider(
  {
    fields,
    by,
    now,
    ...saved
  }: { fields: ProviderFields; by: string; now: string } & Pick<
    ProviderRecord,
    'id' | 'org_id' | 'provider' | 'secret_id' | 'secret_version'
  >,
  { provider: before }: ProviderState,
): ProviderEvent[] {
  const current = before?.deleted_at === null ? before : null;
  if (current && (current.secret_id !== saved.secret_id || current.secret_version >= saved.secret_version))
    throw new Refusal('conflict', { reason: 'changed' }, 'the provider was changed meanwhile');
  const changed = (Object.keys(fields) as (keyof ProviderFields)[]).filter(
    (field) => !current || textOf(fields[field]) !== textOf(current[field]),
  );
  const isAnother = authorizedAt.some((field) => changed.includes(field));
  const provider: ProviderRecord = {
    ...saved,
    ...fields,
    version: (before?.version ?? 0) + (isAnother ? 1 : 0),
    created_by: current?.created_by ?? by,
    created_at: current?.created_at ?? now,
    updated_by: by,
    updated_at: now,
    deleted_at: null,
  };
  return [{ type: 'ProviderSaved', data: { provider, changed_fields: [...changed, 'secret_version'] } }];
}

/** Hosts and scopes are the same in any order. */
function textOf(value: ProviderFields[keyof ProviderFields]): string {
  return JSON.stringify(Array.isArray(value) ? value.toSorted() : value);
}

/**
 * Ends it: its secret was erased before.
 *
 * Refuses  not_found; conflict {reason: changed} when it was made anew meanwhile.
 */
export function deleteProvider(
  { secretId, by, now }: { secretId: string; by: string; now: string },
  { provider }: ProviderState,
): ProviderEvent[] {
  if (!provider || provider.deleted_at !== null) throw notFound('provider');
  if (provider.secret_id !== secretId)
    throw new Refusal('conflict', { reason: 'changed' }, 'the provider was changed meanwhile');
  const next = { ...provider, updated_by: by, updated_at: now, deleted_at: now };
  return [{ type: 'ProviderDeleted', data: { provider: next } }];
}
