import { unreachable, type PrincipalKind, type StreamKind } from '@aos/kernel';
import { principalEvents, type PrincipalEvent, type PrincipalRecord, type RoleGrant } from './principal.events.js';

export interface PrincipalState {
  principal: PrincipalRecord | null;
  status: 'active' | 'disabled' | 'deleted';
  /** By role id, in the order they were granted. */
  grants: Map<string, RoleGrant>;
  /** Assignments that once stood: their rows stay as tombstones. */
  ended: Set<string>;
}

export const principalKind: StreamKind<PrincipalState, PrincipalEvent> = {
  category: 'principal',
  events: principalEvents,
  stateVersion: 1,
  initial: () => ({ principal: null, status: 'active', grants: new Map(), ended: new Set() }),
  evolve(state, { type, data }) {
    switch (type) {
      case 'PrincipalCreated':
        state.principal = data.principal;
        for (const grant of data.grants) grantRole(state, grant);
        return state;
      case 'PrincipalChanged':
        state.principal = data.principal;
        return state;
      case 'PrincipalDisabled':
        state.status = 'disabled';
        return touched(state, data.at);
      case 'PrincipalEnabled':
        state.status = 'active';
        return touched(state, data.at);
      case 'PrincipalDeleted':
        state.status = 'deleted';
        for (const roleId of [...state.grants.keys()]) endGrant(state, roleId);
        return touched(state, data.at);
      case 'RoleAssigned':
        grantRole(state, data.grant);
        return touched(state, data.grant.granted_at);
      case 'RoleUnassigned':
        endGrant(state, data.role_id);
        return touched(state, data.at);
      case 'OwnershipAffirmed':
        return state;
      default:
        return unreachable(type);
    }
  },
};

/**
 * True while the principal counts as an Owner: it exists, is active, holds the role, and can hold a key of its own
 * (rule A16).
 */
export function isActiveOwner(state: PrincipalState, ownerRoleId: string): boolean {
  return (
    state.principal !== null &&
    state.status === 'active' &&
    countsAsOwner(state.principal.kind) &&
    state.grants.has(ownerRoleId)
  );
}

function countsAsOwner(kind: PrincipalKind): boolean {
  return kind === 'human' || kind === 'service' || kind === 'worker';
}

function touched(state: PrincipalState, at: string): PrincipalState {
  if (state.principal) state.principal = { ...state.principal, updated_at: at };
  return state;
}

function grantRole(state: PrincipalState, grant: RoleGrant): void {
  state.grants.set(grant.role_id, grant);
  state.ended.delete(grant.assignment_id);
}

function endGrant(state: PrincipalState, roleId: string): void {
  const grant = state.grants.get(roleId);
  if (!grant) return;
  state.grants.delete(roleId);
  state.ended.add(grant.assignment_id);
}
