import type { Schema } from '@aos/contract';
import type { PrincipalRecord } from './principal.events.js';
import { handleOf } from './principal.ids.js';

/** Principal as the contract shows it (rule A9). */
export function principalView(
  principal: PrincipalRecord,
  state: 'active' | 'disabled' | 'deleted',
  roleIds: readonly string[],
): Schema<'Principal'> {
  const { id, kind, name, description, email, owner_id, metadata, tags, created_at, updated_at } = principal;
  return {
    id,
    kind,
    state,
    name,
    ...(description !== null && { description }),
    handle: handleOf(kind, name),
    ...(email !== null && { email }),
    ...(owner_id !== null && { owner_id }),
    role_ids: [...roleIds],
    ...(metadata !== null && { metadata }),
    tags,
    created_at,
    updated_at,
  };
}
