import { decider } from '@aos/kernel';
import { roleKind } from './role/role.state.js';
import { changeRole, createRole, deleteRole } from './roles/roles.decide.js';

/** All that can happen to a custom role. */
export const roleDecider = decider(roleKind, { createRole, changeRole, deleteRole });
