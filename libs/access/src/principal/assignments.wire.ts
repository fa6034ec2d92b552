import type { Schema } from '@aos/contract';
import type { RoleGrant } from './principal.events.js';

export type AssignmentDoc = RoleGrant & { principal_id: string };

/** Role assignment as the contract shows it (rule A15). */
export function assignmentView(
  { assignment_id, principal_id, role_id, granted_by, granted_at }: AssignmentDoc,
  roleName: string,
): Schema<'RoleAssignment'> {
  return { id: assignment_id, principal_id, role_id, role_name: roleName, granted_by, created_at: granted_at };
}
