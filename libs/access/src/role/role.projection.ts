import { collection } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { RoleEvent, RoleRecord } from './role.events.js';
import { roleKind, type RoleState } from './role.state.js';

/** Custom roles by creation. */
export const rolesProjection: StreamProjection<RoleState, RoleEvent> = {
  name: 'roles',
  version: 1,
  kind: roleKind,
  rows({ state: { role, deleted }, revision }) {
    if (!role) return [];
    const row = { scope: [role.org_id], key: role.id, revision };
    if (deleted) return [roleRows.row({ ...row, doc: null, index: {} })];
    return [roleRows.row({ ...row, doc: { ...role }, index: { created: role.created_at } })];
  },
};
export const roleRows = collection<RoleRecord>(rolesProjection);
