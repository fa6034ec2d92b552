import type { Schema } from '@aos/contract';
import type { ApiKeyRecord } from './apikey.events.js';

/** Key as the contract shows it: never the secret. */
export function apiKeyView(key: ApiKeyRecord, lastUsedAt: string | null): Schema<'APIKey'> {
  const { id, name, key_prefix, principal_id, scope_role_id, org_role, expires_at, tags, created_at } = key;
  return {
    id,
    name,
    key_prefix,
    principal_id,
    ...(scope_role_id !== null && { scope_role_id }),
    ...(org_role !== null && { org_role }),
    ...(expires_at !== null && { expires_at }),
    ...(lastUsedAt !== null && { last_used_at: lastUsedAt }),
    tags,
    created_at,
    updated_at: created_at,
  };
}
