import { collectionOf } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { RoleEvent } from './role.events.js';
import { roleKind, type RoleState } from './role.state.js';

/** Custom roles by creation. */
export const rolesProjection: StreamProjection<RoleState, RoleEvent> = {
  name: 'roles',
  version: 1,
  kind: roleKind,
  rows({ state: { role, deleted }, revision }) {
    if (!role) return [];
    const row = { collection: rolesCollection, scope: [role.org_id], key: role.id, revision };
    if (deleted) return [{ ...row, doc: null, index: {} }];
    return [{ ...row, doc: { ...role }, index: { created: role.created_at } }];
  },
};
export const rolesCollection = collectionOf(rolesProjection);
