import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  Clock,
  Ids,
  ReadStore,
  Refusal,
  badRequest,
  invalidArgument,
  notFound,
  rfc3339,
  type Identity,
  type JsonObject,
  type PrincipalKind,
} from '@aos/kernel';
import { actorOf } from '@aos/platform';
import type { ApiKeyRecord } from '../apikey/apikey.events.js';
import { isLive } from '../apikey/apikey.state.js';
import { lacking } from '../catalog/grants.decide.js';
import { unholdable } from '../catalog/holding.js';
import { AccessDecisions } from '../changes/access-decisions.js';
import { Escalation } from '../identity/escalation.js';
import { keysCollection } from '../apikey/apikey.projection.js';
import { Names } from '../names/names.js';
import { AgentPrincipals } from '../principal/agent-principals.js';
import { assignmentId, principalPrefix, systemPrincipalId } from '../principal/principal.ids.js';
import type { PrincipalRecord, RoleGrant } from '../principal/principal.events.js';
import { rolesPerPrincipalMax } from '../principal/principal.limits.js';
import { PrincipalReader, type FoundPrincipal } from '../principal/principal-reader.js';
import { principalResource, type PrincipalDefinition } from '../principal/principal-resource.js';
import { RoleReader } from '../role/role-reader.js';
import type { RoleRecord } from '../role/role.events.js';
import { PrincipalChanges } from './principal-changes.js';
import { changePrincipal, deletePrincipal } from './principals.decide.js';
import { principalView, type PrincipalView } from '../principal/principal.wire.js';

interface PrincipalFields {
  description?: string;
  email?: string;
  owner_id?: string;
  metadata?: JsonObject;
  role_ids?: string[];
  tags?: Record<string, string>;
}

export class CreatePrincipal extends Command<PrincipalView> {
  constructor(
    readonly who: Identity,
    readonly input: PrincipalFields & { name: string; kind?: 'service' | 'worker' | 'human' },
  ) {
    super();
  }
}

export class UpdatePrincipal extends Command<PrincipalView> {
  constructor(
    readonly who: Identity,
    readonly principalId: string,
    readonly input: PrincipalFields & { state?: 'active' | 'disabled' },
  ) {
    super();
  }
}

export class DeletePrincipal extends Command<void> {
  constructor(
    readonly who: Identity,
    readonly principalId: string,
  ) {
    super();
  }
}

/** Checks the principal that is to be the owner. */
async function checkOwner(reader: PrincipalReader, orgId: string, ownerId: string | undefined): Promise<void> {
  if (ownerId === undefined) return;
  const owner = await reader.find(orgId, ownerId);
  if (!owner) throw notFound('principal');
  if (owner.principal.kind !== 'human') throw invalidArgument('owner_id', 'must be a person');
}

/** Reads the roles. Refuses not_found for a role that is not live. */
async function rolesOf(roleReader: RoleReader, orgId: string, roleIds: readonly string[]): Promise<RoleRecord[]> {
  if (roleIds.length > rolesPerPrincipalMax)
    throw badRequest([{ path: '/role_ids', message: `at most ${rolesPerPrincipalMax} roles` }]);
  const roles: RoleRecord[] = [];
  for (const roleId of roleIds) {
    const found = await roleReader.find(orgId, roleId);
    if (!found) throw notFound('role');
    roles.push(found.role);
  }
  return roles;
}

/** Roles that the caller may not give to a principal of this kind (control S35, rule A32), each with its refusal. */
async function withheldFrom(
  kind: PrincipalKind,
  roles: readonly RoleRecord[],
  escalation: Escalation,
  who: Identity,
): Promise<Map<string, Refusal>> {
  const held = await escalation.held(who);
  const withheld = new Map<string, Refusal>();
  for (const role of roles) {
    const lacks = lacking(held, role.permissions);
    const refusal =
      lacks === null
        ? unholdable(kind, role)
        : new Refusal('permission_denied', { permission: lacks }, `you cannot grant ${lacks}`);
    if (refusal) withheld.set(role.id, refusal);
  }
  return withheld;
}

function grantsFor(who: Identity, principalId: string, roleIds: readonly string[], at: string): RoleGrant[] {
  return roleIds.map((roleId) => ({
    assignment_id: assignmentId(principalId, roleId),
    role_id: roleId,
    granted_by: who.principalId,
    granted_at: at,
  }));
}

@CommandHandler(CreatePrincipal)
export class CreatePrincipalHandler implements ICommandHandler<CreatePrincipal> {
  constructor(
    private readonly decisions: AccessDecisions,
    private readonly names: Names,
    private readonly reader: PrincipalReader,
    private readonly roleReader: RoleReader,
    private readonly escalation: Escalation,
    private readonly changes: PrincipalChanges,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * Refuses  not_found for an owner or role that does not exist; permission_denied (control S35); invalid_argument
   *          {permission} (rule A32); already_exists {resource_id}.
   */
  async execute({ who, input }: CreatePrincipal): Promise<PrincipalView> {
    const {
      name,
      kind = 'service',
      description = null,
      email = null,
      owner_id = null,
      metadata = null,
      role_ids = [],
      tags = {},
    } = input;
    await checkOwner(this.reader, who.orgId, input.owner_id);
    const [refusal] = (
      await withheldFrom(kind, await rolesOf(this.roleReader, who.orgId, role_ids), this.escalation, who)
    ).values();
    if (refusal) throw refusal;
    const now = rfc3339(this.clock.now());
    const id = `${principalPrefix(kind)}_${this.ids.ulid().toLowerCase()}`;
    const principal: PrincipalRecord = {
      id,
      org_id: who.orgId,
      kind,
      name,
      description,
      email,
      owner_id,
      metadata,
      tags,
      created_at: now,
      updated_at: now,
    };
    const definition: PrincipalDefinition = { principal, grants: grantsFor(who, id, role_ids, now) };
    const actor = actorOf(who);
    await this.names.create(actor, principalResource(this.decisions), { name, resourceId: id, definition });
    if (role_ids.length > 0) await this.changes.ensureEntered(actor, id);
    return principalView(principal, 'active', role_ids);
  }
}

@CommandHandler(UpdatePrincipal)
export class UpdatePrincipalHandler implements ICommandHandler<UpdatePrincipal> {
  constructor(
    private readonly reader: PrincipalReader,
    private readonly roleReader: RoleReader,
    private readonly escalation: Escalation,
    private readonly changes: PrincipalChanges,
    private readonly clock: Clock,
  ) {}

  /**
   * Refuses  not_found; permission_denied (control S35) or invalid_argument {permission} (rule A32) for a role that is
   *          added; last_owner; conflict for fields of an agent's principal that follow from the agent, and for the
   *          organization principal.
   */
  async execute({ who, principalId, input }: UpdatePrincipal): Promise<PrincipalView> {
    const found = await this.reader.findFor(who, principalId);
    if (!found) throw notFound('principal');
    checkChangeable(who.orgId, found, input);
    await checkOwner(this.reader, who.orgId, input.owner_id);
    const at = rfc3339(this.clock.now());
    const withheld = await withheldFrom(
      found.principal.kind,
      await rolesOf(this.roleReader, who.orgId, input.role_ids ?? []),
      this.escalation,
      who,
    );
    const { description, email, metadata, tags, state } = input;
    const command = {
      at,
      ...(description !== undefined && { description }),
      ...(email !== undefined && { email }),
      ...(metadata !== undefined && { metadata }),
      ...(tags !== undefined && { tags }),
      ...(state !== undefined && { state }),
      ...(input.owner_id !== undefined && { ownerId: input.owner_id }),
      ...(input.role_ids && { grants: grantsFor(who, principalId, input.role_ids, at), withheld }),
      ...(found.principal.kind === 'agent' && { derived: found.principal }),
    };
    const after = await this.changes.change(actorOf(who), principalId, (current) => changePrincipal(command, current));
    return principalView(
      after.state.principal ?? found.principal,
      after.state.status,
      await this.liveRoles(who.orgId, [...after.state.grants.keys()]),
    );
  }

  private async liveRoles(orgId: string, roleIds: readonly string[]): Promise<string[]> {
    const live: string[] = [];
    for (const roleId of roleIds) if (await this.roleReader.find(orgId, roleId)) live.push(roleId);
    return live;
  }
}

/**
 * Refuses  changes of the organization principal, and of fields of an agent's principal that follow from its agent.
 */
function checkChangeable(orgId: string, { principal }: FoundPrincipal, input: object): void {
  if (principal.id === systemPrincipalId(orgId))
    throw new Refusal('conflict', {}, 'the organization principal cannot be changed');
  const ofAgent = new Set(['state', 'role_ids']);
  const other = Object.keys(input).find(
    (member) => (input as Record<string, unknown>)[member] !== undefined && !ofAgent.has(member),
  );
  if (principal.kind === 'agent' && other !== undefined)
    throw new Refusal('conflict', { field: other }, `${other} of an agent's principal follows from the agent`);
}

@CommandHandler(DeletePrincipal)
export class DeletePrincipalHandler implements ICommandHandler<DeletePrincipal> {
  constructor(
    private readonly reader: PrincipalReader,
    private readonly changes: PrincipalChanges,
    private readonly names: Names,
    private readonly agents: AgentPrincipals,
    private readonly readStore: ReadStore,
    private readonly clock: Clock,
  ) {}

  /** Refuses not_found; principal_in_use while an agent or a live key uses it; last_owner. */
  async execute({ who, principalId }: DeletePrincipal): Promise<void> {
    const found = await this.reader.findFor(who, principalId);
    if (!found) throw notFound('principal');
    if (found.principal.id === systemPrincipalId(who.orgId))
      throw new Refusal('conflict', {}, 'the organization principal cannot be deleted');
    if (found.principal.kind === 'agent' || (await this.agents.anyUses(who.orgId, principalId)))
      throw new Refusal('principal_in_use', { used_by: 'agent' }, 'an agent uses this principal');
    const keyId = await this.liveKey(who.orgId, principalId);
    if (keyId !== null)
      throw new Refusal(
        'principal_in_use',
        { used_by: 'api_key', resource_id: keyId },
        'an API key acts as this principal',
      );
    const actor = actorOf(who);
    const at = rfc3339(this.clock.now());
    await this.changes.change(actor, principalId, (state) => deletePrincipal({ at }, state));
    await this.names.release(actor, 'principal', found.principal.name, principalId);
  }

  private async liveKey(orgId: string, principalId: string): Promise<string | null> {
    const { rows } = await this.readStore.query({
      collection: keysCollection,
      scope: [orgId],
      where: [{ index: 'principal', eq: principalId }],
      limit: 1000,
    });
    const live = rows.find(({ doc }) => isLive({ key: doc as ApiKeyRecord, revoked: false }, this.clock.now()));
    return live?.key ?? null;
  }
}
