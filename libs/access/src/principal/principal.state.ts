import { unreachable, type PrincipalKind, type StreamKind } from '@aos/kernel';
import { principalEvents, type PrincipalEvent, type PrincipalRecord, type RoleGrant } from './principal.events.js';

export interface PrincipalState {
  readonly principal: PrincipalRecord | null;
  readonly status: 'active' | 'disabled' | 'deleted';
  /** By role id, in the order they were granted. */
  readonly grants: ReadonlyMap<string, RoleGrant>;
  /** Assignments that have ended: their rows stay as tombstones. */
  readonly ended: ReadonlySet<string>;
}

export const principalKind: StreamKind<PrincipalState, PrincipalEvent> = {
  category: 'principal',
  events: principalEvents,
  stateVersion: 1,
  initial: () => ({ principal: null, status: 'active', grants: new Map(), ended: new Set() }),
  evolve(state, { type, data }) {
    switch (type) {
      case 'PrincipalCreated':
        return data.grants.reduce(withGrant, { ...state, principal: data.principal });
      case 'PrincipalChanged':
        return { ...state, principal: data.principal };
      case 'PrincipalDisabled':
        return touched({ ...state, status: 'disabled' }, data.at);
      case 'PrincipalEnabled':
        return touched({ ...state, status: 'active' }, data.at);
      case 'PrincipalDeleted':
        return touched([...state.grants.keys()].reduce(withoutGrant, { ...state, status: 'deleted' }), data.at);
      case 'RoleAssigned':
        return touched(withGrant(state, data.grant), data.grant.granted_at);
      case 'RoleUnassigned':
        return touched(withoutGrant(state, data.role_id), data.at);
      case 'OwnershipAffirmed':
        return state;
      default:
        return unreachable(type);
    }
  },
};

/** True while the principal counts as an Owner: it exists, is active, holds the role, and is of a kind that can. */
export function isActiveOwner(state: PrincipalState, ownerRoleId: string): boolean {
  return (
    state.principal !== null &&
    state.status === 'active' &&
    canBeOwner(state.principal.kind) &&
    state.grants.has(ownerRoleId)
  );
}

/**
 * Whether principals of a kind can be Owners (rule A16): those that can hold a key and `svc.org.admin`. For workers and
 * agents that permission counts for nothing (rule A32).
 */
export function canBeOwner(kind: PrincipalKind): boolean {
  return kind === 'human' || kind === 'service';
}

function touched(state: PrincipalState, at: string): PrincipalState {
  return state.principal ? { ...state, principal: { ...state.principal, updated_at: at } } : state;
}

function withGrant(state: PrincipalState, grant: RoleGrant): PrincipalState {
  const ended = new Set(state.ended);
  ended.delete(grant.assignment_id);
  return { ...state, grants: new Map(state.grants).set(grant.role_id, grant), ended };
}

function withoutGrant(state: PrincipalState, roleId: string): PrincipalState {
  const grant = state.grants.get(roleId);
  if (!grant) return state;
  const grants = new Map(state.grants);
  grants.delete(roleId);
  return { ...state, grants, ended: new Set(state.ended).add(grant.assignment_id) };
}
