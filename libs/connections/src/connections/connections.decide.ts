import { invalidArgument, isSoftware, type Identity } from '@aos/kernel';
import type {
  ConnectionEvent,
  ConnectionGrants,
  ConnectionKind,
  ConnectionRecord,
} from '../connection/connection.events.js';
import type { ConnectionState } from '../connection/connection.state.js';
import { managed, requireAdministering, type Caller } from '../connection/reach.decide.js';
import { fieldsOf, teamKinds } from './fields.decide.js';

/**
 * Who owns a new connection: the caller, or the team; software acts for the team.
 *
 * Refuses  invalid_argument {argument: owner} for another person, for software as a person, and for a person where only
 *          the team may; permission_denied for the team's when the caller is no administrator.
 */
export function ownerOf(
  kind: ConnectionKind,
  wanted: { kind: 'person' | 'team'; id?: string | null } | undefined,
  caller: Pick<Identity, 'orgId' | 'principalId' | 'kind' | 'permissions'>,
): ConnectionRecord['owner'] {
  const byDefault = teamKinds.has(kind) || isSoftware(caller.kind) ? 'team' : 'person';
  const ownerKind = wanted?.kind ?? byDefault;
  if (ownerKind === 'team') {
    if (wanted?.id) throw invalidArgument('owner', 'the team has no id');
    const owner = { kind: ownerKind, id: null };
    requireAdministering(owner, caller);
    return owner;
  }
  if (teamKinds.has(kind)) throw invalidArgument('owner', `a connection of kind ${kind} is the team's only`);
  if (isSoftware(caller.kind))
    throw invalidArgument('owner', 'a person answers for it, and the caller is none', {
      reason: 'human_custodian_required',
    });
  if (wanted?.id && wanted.id !== caller.principalId)
    throw invalidArgument('owner', 'an account belongs to the person who connects it');
  return { kind: ownerKind, id: caller.principalId };
}

/** Stores a new connection; nothing when it is there. */
export function createConnection(connection: ConnectionRecord, state: ConnectionState): ConnectionEvent[] {
  return state.connection ? [] : [{ type: 'ConnectionCreated', data: { connection } }];
}

/** The members that a change sets; an absent member keeps its value. `hosts` in their normal form. */
export interface ConnectionChange {
  name?: string;
  hosts?: readonly string[] | null;
  header?: string;
  format?: string;
  username?: string;
  url?: string;
  client_id?: string;
  token_endpoint?: string;
}

interface Stamp {
  caller: Caller;
  now: string;
}

/**
 * Changes a connection.
 *
 * Gives    `ConnectionChanged` with the fields that differ; nothing when none does.
 * Refuses  not_found; permission_denied; invalid_argument as `fieldsOf`.
 */
export function changeConnection(
  { change, caller, now }: Stamp & { change: ConnectionChange },
  state: ConnectionState,
): ConnectionEvent[] {
  const connection = managed(state.connection, caller);
  const { name = connection.name, hosts = null, ...wanted } = change;
  const fields = { name, ...fieldsOf(connection.kind, wanted, hosts, connection) };
  const changed = (Object.keys(fields) as (keyof typeof fields)[]).filter(
    (field) => JSON.stringify(fields[field]) !== JSON.stringify(connection[field]),
  );
  if (changed.length === 0) return [];
  const next = { ...renewed(connection, changed), ...fields, updated_by: caller.principalId, updated_at: now };
  return [{ type: 'ConnectionChanged', data: { connection: next, changed_fields: changed } }];
}

/** With another client or token endpoint the tokens so far are used no more, and what was refused is tried again. */
function renewed(connection: ConnectionRecord, changed: readonly string[]): ConnectionRecord {
  const { oauth } = connection;
  if (!oauth || !changed.some((field) => field === 'client_id' || field === 'token_endpoint')) return connection;
  return { ...connection, status: 'active', oauth: { ...oauth, valid_from: oauth.attempt + 1, refresh: null } };
}

/**
 * Replaces the grants.
 *
 * Gives    nothing when they are the same.
 * Refuses  not_found; permission_denied; invalid_argument {argument: everyone} for a person's own.
 */
export function grantConnection(
  { grants, caller, now }: Stamp & { grants: ConnectionGrants },
  state: ConnectionState,
): ConnectionEvent[] {
  const connection = managed(state.connection, caller);
  if (grants.everyone && connection.owner.kind === 'person')
    throw invalidArgument('everyone', "a person's own account is granted by name");
  if (JSON.stringify(grants) === JSON.stringify(connection.grants)) return [];
  const next = { ...connection, grants, updated_by: caller.principalId, updated_at: now };
  return [{ type: 'ConnectionGranted', data: { connection: next } }];
}

/**
 * The grants of a person's connection to an agent end: another owner has the agent now. Nothing when there are none.
 *
 * Source   rule TE10.
 */
export function endGrants(
  { agentId, by, now }: { agentId: string; by: string; now: string },
  { connection }: ConnectionState,
): ConnectionEvent[] {
  if (!connection || connection.deleted_at !== null || connection.owner.kind !== 'person') return [];
  const { principal_ids: ids, actions, everyone } = connection.grants;
  if (!ids.includes(agentId)) return [];
  const grants = {
    principal_ids: ids.filter((id) => id !== agentId),
    everyone,
    actions: actions.filter(({ principal_id: id }) => id !== agentId),
  };
  return [
    { type: 'ConnectionGranted', data: { connection: { ...connection, grants, updated_by: by, updated_at: now } } },
  ];
}

/** Ends it for good: its secret was erased before. */
export function deleteConnection(
  { caller, now, version }: Stamp & { version: number },
  state: ConnectionState,
): ConnectionEvent[] {
  const { connection } = state;
  if (!connection || connection.deleted_at !== null) return [];
  const next = { ...managed(connection, caller), secret_version: version, updated_by: caller.principalId };
  return [{ type: 'ConnectionDeleted', data: { connection: { ...next, updated_at: now, deleted_at: now } } }];
}
