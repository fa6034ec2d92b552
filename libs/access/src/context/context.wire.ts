import type { Schema } from '@aos/contract';
import { contextBytesMax } from '../organization/organization.limits.js';
import type { OrganizationState } from '../organization/organization.state.js';

/** Organization context as the contract shows it (rule R42). */
export function contextView({ context }: OrganizationState): Schema<'OrgContext'> {
  return {
    content: context?.content ?? '',
    max_bytes: contextBytesMax,
    ...(context && { updated_at: context.updated_at }),
  };
}
