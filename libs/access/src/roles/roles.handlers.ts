import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestBody, Schema } from '@aos/contract';
import { Clock, Ids, Refusal, idPart, looksLikeId, notFound, rfc3339 } from '@aos/kernel';
import { CallerCommand, actorOf } from '@aos/platform';
import { lacking } from '../catalog/grants.decide.js';
import { systemRoleNames } from '../role/system-roles.js';
import { roleDecider } from '../role.decider.js';
import { AccessDecisions } from '../changes/access-decisions.js';
import { Escalation } from '../identity/escalation.js';
import { Names } from '../names/names.js';
import type { RoleRecord } from '../role/role.events.js';
import { RoleReader } from '../role/role-reader.js';
import { roleResource } from '../role/role-resource.js';
import { DeletedRoles } from '../principals/deleted-roles.js';
import { checkPermissions } from './roles.decide.js';
import { roleView } from '../role/role.wire.js';

export class CreateRole extends CallerCommand<RequestBody<'createRole'>, Schema<'Role'>> {}
export class UpdateRole extends CallerCommand<{ role_id: string; body: RequestBody<'updateRole'> }, Schema<'Role'>> {}
export class DeleteRole extends CallerCommand<{ role_id: string }, void> {}

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
  async execute({ who, input }: CreateRole): Promise<Schema<'Role'>> {
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

  async execute({ who, input: { role_id: roleId, body } }: UpdateRole): Promise<Schema<'Role'>> {
    await custom(this.roleReader, who.orgId, roleId);
    if (body.permissions) checkPermissions(body.permissions);
    const held = await this.escalation.held(who);
    const command = {
      orgId: who.orgId,
      at: rfc3339(this.clock.now()),
      ...body,
      lacking: (added: readonly string[]) => lacking(held, added),
    };
    const { state } = await this.decisions.decide(roleDecider.changeRole, idPart(roleId), actorOf(who), command);
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
    private readonly deleted: DeletedRoles,
    private readonly clock: Clock,
  ) {}

  /**
   * The role is gone at once. Its assignments are ended after it, after a crash by the reactor; until then readers
   * leave them out.
   */
  async execute({ who, input: { role_id: roleId } }: DeleteRole): Promise<void> {
    await custom(this.roleReader, who.orgId, roleId);
    const at = rfc3339(this.clock.now());
    const actor = actorOf(who);
    const { state } = await this.decisions.decide(roleDecider.deleteRole, idPart(roleId), actor, {
      orgId: who.orgId,
      at,
    });
    if (state.role) await this.names.release(actor, 'role', state.role.name, roleId);
    await this.deleted.endAssignments(actor, roleId, at);
  }
}
