import { collection } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { AssignmentDoc } from './assignments.wire.js';
import type { PrincipalEvent } from './principal.events.js';
import { principalKind, type PrincipalState } from './principal.state.js';

/** One row per grant, by creation; an ended grant leaves a tombstone. */
export const assignmentsProjection: StreamProjection<PrincipalState, PrincipalEvent> = {
  name: 'role_assignments',
  version: 1,
  kind: principalKind,
  on: new Set(['PrincipalCreated', 'PrincipalDeleted', 'RoleAssigned', 'RoleUnassigned']),
  rows({ state: { principal, grants, ended }, revision }) {
    if (!principal) return [];
    const scope = [principal.org_id];
    const standing = [...grants.values()].map((grant) =>
      assignmentRows.row({
        scope,
        key: grant.assignment_id,
        revision,
        doc: { ...grant, principal_id: principal.id },
        index: { created: grant.granted_at, principal: principal.id, role: grant.role_id },
      }),
    );
    const gone = [...ended].map((key) => assignmentRows.row({ scope, key, revision, doc: null, index: {} }));
    return [...standing, ...gone];
  },
};
export const assignmentRows = collection<AssignmentDoc>(assignmentsProjection);
