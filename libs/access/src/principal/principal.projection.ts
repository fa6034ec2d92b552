import { collection } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { PrincipalEvent, PrincipalRecord } from './principal.events.js';
import { principalKind, type PrincipalState } from './principal.state.js';

/** A row of the list of principals; `role_ids` may name roles that were deleted since. */
export type PrincipalRow = { principal: PrincipalRecord; status: 'active' | 'disabled'; role_ids: string[] };

/** Principals by creation, kind and state; deleted principals leave the rows. */
export const principalsProjection: StreamProjection<PrincipalState, PrincipalEvent> = {
  name: 'principals',
  version: 1,
  kind: principalKind,
  rows({ state: { principal, status, grants }, revision }) {
    if (!principal) return [];
    const row = { scope: [principal.org_id], key: principal.id, revision };
    if (status === 'deleted') return [principalRows.row({ ...row, doc: null, index: {} })];
    const doc = { principal, status, role_ids: [...grants.keys()] };
    const index = { created: principal.created_at, kind: principal.kind, state: status };
    return [principalRows.row({ ...row, doc, index })];
  },
};
export const principalRows = collection<PrincipalRow>(principalsProjection);
