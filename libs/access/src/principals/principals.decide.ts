import { Refusal, badRequest, notFound } from '@aos/kernel';
import type { JsonObject } from '@aos/kernel';
import type { PrincipalEvent, PrincipalRecord, RoleGrant } from '../principal/principal.events.js';
import { rolesPerPrincipalMax } from '../principal/principal.limits.js';
import type { PrincipalState } from '../principal/principal.state.js';

/** Creates a principal with its roles; no event when it exists. */
export function createPrincipal(
  { principal, grants }: { principal: PrincipalRecord; grants: RoleGrant[] },
  state: PrincipalState,
): PrincipalEvent[] {
  return state.principal ? [] : [{ type: 'PrincipalCreated', data: { principal, grants } }];
}

/**
 * Creates the principal of an agent, or archives it when the agent is deleted; no event when it is so.
 *
 * Source   rule A11.
 */
export function followAgent(
  { principal, deleted, at }: { principal: PrincipalRecord; deleted: boolean; at: string },
  state: PrincipalState,
): PrincipalEvent[] {
  if (deleted) return state.principal && state.status !== 'deleted' ? [{ type: 'PrincipalDeleted', data: { at } }] : [];
  return state.principal ? [] : [{ type: 'PrincipalCreated', data: { principal, grants: [] } }];
}

/** An agent's principal, whose stream is created with these values at its first grant or switch. */
export interface DerivedPrincipal {
  derived?: PrincipalRecord;
}

export interface AssignRole extends DerivedPrincipal {
  grant: RoleGrant;
}

/**
 * Grants a role to a principal.
 *
 * Refuses  not_found for a principal that does not exist; already_exists {resource_id} for a pair that is assigned;
 *          conflict at 100 roles.
 * Source   rule A15.
 */
export function assignRole({ grant, derived }: AssignRole, state: PrincipalState): PrincipalEvent[] {
  const created = existing(state, derived);
  const standing = state.grants.get(grant.role_id);
  if (standing)
    throw new Refusal('already_exists', { resource_id: standing.assignment_id }, 'the principal has this role');
  if (state.grants.size >= rolesPerPrincipalMax)
    throw new Refusal(
      'conflict',
      { roles_max: rolesPerPrincipalMax },
      `a principal has at most ${rolesPerPrincipalMax} roles`,
    );
  return [...created, { type: 'RoleAssigned', data: { grant } }];
}

/**
 * Takes    a role away. Refuses not_found when the principal does not have it.
 */
export function unassignRole({ roleId, at }: { roleId: string; at: string }, state: PrincipalState): PrincipalEvent[] {
  const grant = state.principal && state.status !== 'deleted' ? state.grants.get(roleId) : undefined;
  if (!grant) throw notFound('role assignment');
  return [{ type: 'RoleUnassigned', data: { assignment_id: grant.assignment_id, role_id: roleId, at } }];
}

/** Takes a role away that was deleted; no event when the principal does not have it. */
export function endAssignment(command: { roleId: string; at: string }, state: PrincipalState): PrincipalEvent[] {
  return state.grants.has(command.roleId) ? unassignRole(command, state) : [];
}

/** Changes only the revision; see `OwnershipAffirmed`. */
export function affirmOwnership({ at }: { at: string }): PrincipalEvent[] {
  return [{ type: 'OwnershipAffirmed', data: { at } }];
}

export interface ChangePrincipal extends DerivedPrincipal {
  at: string;
  description?: string;
  email?: string;
  ownerId?: string;
  metadata?: JsonObject;
  tags?: Record<string, string>;
  state?: 'active' | 'disabled';
  /** The roles that the principal is to have, each with the grant to use if it is new; undefined: unchanged. */
  grants?: readonly RoleGrant[];
  /**
   * Roles that the caller may not grant (control S35), or that the principal's kind cannot hold (rule A32) -> the
   * refusal. A principal that has such a role may keep it.
   */
  withheld?: ReadonlyMap<string, Refusal>;
}

/**
 * Changes a principal; fields that are left out stay.
 *
 * Gives    one event per kind of change; no event when the principal is as asked.
 * Refuses  not_found for a principal that does not exist; bad_request for more than 100 roles; the refusal in
 *          `withheld` for a new role.
 * Source   rules A9, G9.
 */
export function changePrincipal(command: ChangePrincipal, state: PrincipalState): PrincipalEvent[] {
  const created = existing(state, command.derived);
  const { at } = command;
  const changes = [...roleChanges(command, state), ...fieldChanges(command, state), ...switched(command, state)];
  if (command.grants && command.grants.length > rolesPerPrincipalMax)
    throw badRequest([{ path: '/role_ids', message: `at most ${rolesPerPrincipalMax} roles` }]);
  if (changes.length === 0) return [];
  return [...created, ...changes.map((change) => withTime(change, at))];
}

/** Archives a principal. Refuses not_found when it does not exist. */
export function deletePrincipal({ at }: { at: string }, state: PrincipalState): PrincipalEvent[] {
  existing(state);
  return [{ type: 'PrincipalDeleted', data: { at } }];
}

function existing(state: PrincipalState, derived?: PrincipalRecord): PrincipalEvent[] {
  if (state.principal && state.status !== 'deleted') return [];
  if (!state.principal && derived) return [{ type: 'PrincipalCreated', data: { principal: derived, grants: [] } }];
  throw notFound('principal');
}

function roleChanges({ grants, withheld, at }: ChangePrincipal, state: PrincipalState): PrincipalEvent[] {
  if (!grants) return [];
  const wanted = new Set(grants.map(({ role_id }) => role_id));
  const ended = [...state.grants.values()].filter(({ role_id }) => !wanted.has(role_id));
  const begun = grants.filter(({ role_id }) => !state.grants.has(role_id));
  for (const { role_id } of begun) {
    const refusal = withheld?.get(role_id);
    if (refusal) throw refusal;
  }
  return [
    ...ended.map(({ assignment_id, role_id }): PrincipalEvent => ({
      type: 'RoleUnassigned',
      data: { assignment_id, role_id, at },
    })),
    ...begun.map((grant): PrincipalEvent => ({ type: 'RoleAssigned', data: { grant } })),
  ];
}

function fieldChanges(command: ChangePrincipal, state: PrincipalState): PrincipalEvent[] {
  const before = state.principal ?? command.derived;
  if (!before) return [];
  const asked: Partial<PrincipalRecord> = {
    ...(command.description !== undefined && { description: command.description }),
    ...(command.email !== undefined && { email: command.email }),
    ...(command.ownerId !== undefined && { owner_id: command.ownerId }),
    ...(command.metadata !== undefined && { metadata: command.metadata }),
    ...(command.tags !== undefined && { tags: command.tags }),
  };
  const fields = Object.keys(asked) as (keyof PrincipalRecord)[];
  const changed = fields.filter((field) => JSON.stringify(asked[field]) !== JSON.stringify(before[field]));
  if (changed.length === 0) return [];
  return [{ type: 'PrincipalChanged', data: { principal: { ...before, ...asked }, changed_fields: changed } }];
}

function switched({ state: wanted, at }: ChangePrincipal, state: PrincipalState): PrincipalEvent[] {
  if (wanted === undefined || wanted === state.status) return [];
  return [{ type: wanted === 'disabled' ? 'PrincipalDisabled' : 'PrincipalEnabled', data: { at } }];
}

function withTime(event: PrincipalEvent, at: string): PrincipalEvent {
  if (event.type !== 'PrincipalChanged') return event;
  return { ...event, data: { ...event.data, principal: { ...event.data.principal, updated_at: at } } };
}
