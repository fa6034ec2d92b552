import { CommandHandler, Command, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, Ids, ReadStore, Refusal, idPart, looksLikeId, notFound, rfc3339, type Identity } from '@aos/kernel';
import { actorOf, type Actor } from '@aos/platform';
import { lacking } from '../catalog/grants.decide.js';
import { systemRoleNames } from '../role/system-roles.js';
import { assignmentsCollection } from '../principal/assignments.projection.js';
import { AccessDecisions } from '../changes/access-decisions.js';
import { Escalation } from '../identity/escalation.js';
import { Names } from '../names/names.js';
import { PrincipalChanges } from '../principals/principal-changes.js';
import { unassignRole } from '../principals/principals.decide.js';
import type { RoleRecord } from '../role/role.events.js';
import { RoleReader } from '../role/role-reader.js';
import { roleResource } from '../role/role-resource.js';
import { roleKind } from '../role/role.state.js';
import { changeRole, checkPermissions, deleteRole } from './roles.decide.js';
import { roleView, type RoleView } from '../role/role.wire.js';

const endedPerRoundMax = 500;

export class CreateRole extends Command<RoleView> {
  constructor(
    readonly who: Identity,
    readonly input: { name: string; description?: string; permissions: string[]; tags?: Record<string, string> },
  ) {
    super();
  }
}

export class UpdateRole extends Command<RoleView> {
  constructor(
    readonly who: Identity,
    readonly roleId: string,
    readonly input: { description?: string; permissions?: string[]; tags?: Record<string, string> },
  ) {
    super();
  }
}

export class DeleteRole extends Command<void> {
  constructor(
    readonly who: Identity,
    readonly roleId: string,
  ) {
    super();
  }
}

@CommandHandler(CreateRole)
export class CreateRoleHandler implements ICommandHandler<CreateRole> {
  constructor(
    private readonly decisions: AccessDecisions,
    private readonly names: Names,
    private readonly roleReader: RoleReader,
    private readonly escalation: Escalation,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * Refuses  unknown_permission; permission_denied (control S35); already_exists {resource_id}, also for the built-in
   *          names.
   */
  async execute({ who, input }: CreateRole): Promise<RoleView> {
    checkPermissions(input.permissions);
    await this.escalation.refuse(who, input.permissions);
    const builtIn = systemRoleNames.find((name) => name === input.name);
    if (builtIn)
      throw new Refusal(
        'already_exists',
        { resource_id: await this.roleReader.systemRoleId(who.orgId, builtIn) },
        `${builtIn} is a built-in role`,
      );
    const now = rfc3339(this.clock.now());
    const role: RoleRecord = {
      id: `role_${this.ids.ulid().toLowerCase()}`,
      org_id: who.orgId,
      name: input.name,
      description: input.description ?? null,
      permissions: input.permissions,
      system_defined: false,
      tags: input.tags ?? {},
      created_at: now,
      updated_at: now,
    };
    await this.names.create(actorOf(who), roleResource(this.decisions), {
      name: role.name,
      resourceId: role.id,
      definition: role,
    });
    return roleView(role);
  }
}

/** Refuses system_role_immutable for a built-in role, and not_found. */
async function custom(roleReader: RoleReader, orgId: string, roleId: string): Promise<void> {
  if (!looksLikeId('role', roleId)) throw notFound('role');
  if ((await roleReader.systemRoles(orgId)).some(({ id }) => id === roleId))
    throw new Refusal('system_role_immutable', {}, 'built-in roles cannot be changed');
  if (!(await roleReader.find(orgId, roleId))) throw notFound('role');
}

@CommandHandler(UpdateRole)
export class UpdateRoleHandler implements ICommandHandler<UpdateRole> {
  constructor(
    private readonly decisions: AccessDecisions,
    private readonly roleReader: RoleReader,
    private readonly escalation: Escalation,
    private readonly clock: Clock,
  ) {}

  async execute({ who, roleId, input }: UpdateRole): Promise<RoleView> {
    await custom(this.roleReader, who.orgId, roleId);
    if (input.permissions) checkPermissions(input.permissions);
    const held = await this.escalation.held(who);
    const command = {
      orgId: who.orgId,
      at: rfc3339(this.clock.now()),
      ...input,
      lacking: (added: readonly string[]) => lacking(held, added),
    };
    const { state } = await this.decisions.run(roleKind, idPart(roleId), actorOf(who), (role) =>
      changeRole(command, role),
    );
    if (!state.role) throw notFound('role');
    return roleView(state.role);
  }
}

@CommandHandler(DeleteRole)
export class DeleteRoleHandler implements ICommandHandler<DeleteRole> {
  constructor(
    private readonly decisions: AccessDecisions,
    private readonly names: Names,
    private readonly roleReader: RoleReader,
    private readonly principals: PrincipalChanges,
    private readonly readStore: ReadStore,
    private readonly clock: Clock,
  ) {}

  /**
   * The role is gone at once. Its assignments are ended after it; until then (or after a crash) readers leave them out.
   */
  async execute({ who, roleId }: DeleteRole): Promise<void> {
    await custom(this.roleReader, who.orgId, roleId);
    const at = rfc3339(this.clock.now());
    const actor = actorOf(who);
    const { state } = await this.decisions.run(roleKind, idPart(roleId), actor, (role) =>
      deleteRole({ orgId: who.orgId, at }, role),
    );
    if (state.role) await this.names.release(actor, 'role', state.role.name, roleId);
    await this.endAssignments(actor, roleId, at);
  }

  private async endAssignments(actor: Actor, roleId: string, at: string): Promise<void> {
    const { rows } = await this.readStore.query({
      collection: assignmentsCollection,
      scope: [actor.orgId],
      where: [{ index: 'role', eq: roleId }],
      limit: endedPerRoundMax,
    });
    for (const { doc } of rows) {
      if (typeof doc.principal_id !== 'string') continue;
      await this.principals.change(actor, doc.principal_id, (state) =>
        state.grants.has(roleId) ? unassignRole({ roleId, at }, state) : [],
      );
    }
  }
}
