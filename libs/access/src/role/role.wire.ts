import type { Schema } from '@aos/contract';
import type { RoleRecord } from './role.events.js';

/** Role as the contract shows it (rule A13). */
export function roleView({
  id,
  name,
  description,
  permissions,
  system_defined,
  tags,
  created_at,
  updated_at,
}: RoleRecord): Schema<'Role'> {
  return {
    id,
    name,
    ...(description !== null && { description }),
    permissions,
    system_defined,
    tags,
    created_at,
    updated_at,
  };
}
