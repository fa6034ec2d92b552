import { unreachable, type StreamKind } from '@aos/kernel';
import { roleEvents, type RoleEvent, type RoleRecord } from './role.events.js';

export interface RoleState {
  readonly role: RoleRecord | null;
  readonly deleted: boolean;
}

export const roleKind: StreamKind<RoleState, RoleEvent> = {
  category: 'role',
  events: roleEvents,
  stateVersion: 1,
  initial: () => ({ role: null, deleted: false }),
  evolve(_state, { type, data }) {
    switch (type) {
      case 'RoleCreated':
      case 'RoleChanged':
        return { role: data.role, deleted: false };
      case 'RoleDeleted':
        return { role: data.role, deleted: true };
      default:
        return unreachable(type);
    }
  },
};
