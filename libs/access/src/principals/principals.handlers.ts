import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestBody, Schema } from '@aos/contract';
import { Clock, Ids, ReadStore, Refusal, invalidArgument, notFound, rfc3339 } from '@aos/kernel';
import { CallerCommand, actorOf } from '@aos/platform';
import { isLive } from '../apikey/apikey.state.js';
import { AccessDecisions } from '../changes/access-decisions.js';
import { keyRows } from '../apikey/apikey.projection.js';
import { Names } from '../names/names.js';
import { AgentPrincipals } from '../principal/agent-principals.js';
import { principalPrefix, systemPrincipalId } from '../principal/principal.ids.js';
import type { PrincipalRecord } from '../principal/principal.events.js';
import { PrincipalReader, type FoundPrincipal } from '../principal/principal-reader.js';
import { principalResource, type PrincipalDefinition } from '../principal/principal-resource.js';
import { principalView } from '../principal/principal.wire.js';
import { principalDecider } from '../principal.decider.js';
import { PrincipalChanges } from './principal-changes.js';
import { RoleReader } from '../role/role-reader.js';
import { RoleGrants } from './role-grants.js';

export class CreatePrincipal extends CallerCommand<RequestBody<'createPrincipal'>, Schema<'Principal'>> {}
export class UpdatePrincipal extends CallerCommand<
  { principal_id: string; body: RequestBody<'updatePrincipal'> },
  Schema<'Principal'>
> {}
export class DeletePrincipal extends CallerCommand<{ principal_id: string }, void> {}

/** Checks the principal that is to be the owner. */
async function checkOwner(reader: PrincipalReader, orgId: string, ownerId: string | undefined): Promise<void> {
  if (ownerId === undefined) return;
  const owner = await reader.find(orgId, ownerId);
  if (!owner) throw notFound('principal');
  if (owner.principal.kind !== 'human') throw invalidArgument('owner_id', 'must be a person');
}

@CommandHandler(CreatePrincipal)
export class CreatePrincipalHandler implements ICommandHandler<CreatePrincipal> {
  constructor(
    private readonly decisions: AccessDecisions,
    private readonly names: Names,
    private readonly reader: PrincipalReader,
    private readonly roles: RoleGrants,
    private readonly changes: PrincipalChanges,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * Refuses  not_found for an owner or role that does not exist; permission_denied (control S35); invalid_argument
   *          {permission} (rule A32); already_exists {resource_id}.
   */
  async execute({ who, input }: CreatePrincipal): Promise<Schema<'Principal'>> {
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
    const [refusal] = (await this.roles.withheld(who, kind, role_ids)).values();
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
    const definition: PrincipalDefinition = { principal, grants: this.roles.grantsFor(who, id, role_ids, now) };
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
    private readonly roles: RoleGrants,
    private readonly roleReader: RoleReader,
    private readonly changes: PrincipalChanges,
    private readonly clock: Clock,
  ) {}

  /**
   * Refuses  not_found; permission_denied (control S35) or invalid_argument {permission} (rule A32) for a role that is
   *          added; last_owner; conflict for fields of an agent's principal that follow from the agent, and for the
   *          organization principal.
   */
  async execute({ who, input: { principal_id: principalId, body } }: UpdatePrincipal): Promise<Schema<'Principal'>> {
    const found = await this.reader.findFor(who, principalId);
    if (!found) throw notFound('principal');
    checkChangeable(who.orgId, found, body);
    await checkOwner(this.reader, who.orgId, body.owner_id);
    const at = rfc3339(this.clock.now());
    const withheld = await this.roles.withheld(who, found.principal.kind, body.role_ids ?? []);
    const { description, email, metadata, tags, state } = body;
    const command = {
      at,
      ...(description !== undefined && { description }),
      ...(email !== undefined && { email }),
      ...(metadata !== undefined && { metadata }),
      ...(tags !== undefined && { tags }),
      ...(state !== undefined && { state }),
      ...(body.owner_id !== undefined && { ownerId: body.owner_id }),
      ...(body.role_ids && { grants: this.roles.grantsFor(who, principalId, body.role_ids, at), withheld }),
      ...(found.principal.kind === 'agent' && { derived: found.principal }),
    };
    const after = await this.changes.change(principalDecider.changePrincipal, principalId, actorOf(who), command);
    return principalView(
      after.state.principal ?? found.principal,
      after.state.status,
      await this.roleReader.liveIds(who.orgId, after.state.grants.keys()),
    );
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
  async execute({ who, input: { principal_id: principalId } }: DeletePrincipal): Promise<void> {
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
    await this.changes.change(principalDecider.deletePrincipal, principalId, actor, { at });
    await this.names.release(actor, 'principal', found.principal.name, principalId);
  }

  private async liveKey(orgId: string, principalId: string): Promise<string | null> {
    const { rows } = await keyRows.query(this.readStore, {
      scope: [orgId],
      where: [{ index: 'principal', eq: principalId }],
      limit: 1000,
    });
    const live = rows.find(({ doc }) => isLive({ key: doc, revoked: false }, this.clock.now()));
    return live?.key ?? null;
  }
}
