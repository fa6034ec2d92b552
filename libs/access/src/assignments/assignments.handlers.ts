import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestBody, Schema } from '@aos/contract';
import { Clock, Refusal, notFound, rfc3339 } from '@aos/kernel';
import { CallerCommand, actorOf } from '@aos/platform';
import { unholdable } from '../catalog/holding.js';
import { systemRoleNames } from '../role/system-roles.js';
import { principalDecider } from '../principal.decider.js';
import { AccessDecisions } from '../changes/access-decisions.js';
import { Escalation } from '../identity/escalation.js';
import { Names } from '../names/names.js';
import { assignmentId, parseAssignmentId, systemPrincipalId } from '../principal/principal.ids.js';
import type { RoleGrant } from '../principal/principal.events.js';
import { PrincipalReader } from '../principal/principal-reader.js';
import { PrincipalChanges } from '../principals/principal-changes.js';
import { RoleReader } from '../role/role-reader.js';
import { roleResource } from '../role/role-resource.js';
import type { RoleRecord } from '../role/role.events.js';
import { assignmentView } from '../principal/assignments.wire.js';

export class AssignRole extends CallerCommand<RequestBody<'createRoleAssignment'>, Schema<'RoleAssignment'>> {}
export class UnassignRole extends CallerCommand<{ assignment_id: string }, void> {}

@CommandHandler(AssignRole)
export class AssignRoleHandler implements ICommandHandler<AssignRole> {
  constructor(
    private readonly decisions: AccessDecisions,
    private readonly names: Names,
    private readonly roleReader: RoleReader,
    private readonly principalReader: PrincipalReader,
    private readonly principals: PrincipalChanges,
    private readonly escalation: Escalation,
    private readonly clock: Clock,
  ) {}

  /**
   * Refuses  not_found; permission_denied (control S35); invalid_argument {permission} for a permission that the
   *          principal's kind cannot hold (rule A32); already_exists for a pair that is assigned; conflict for the
   *          organization principal.
   */
  async execute({ who, input }: AssignRole): Promise<Schema<'RoleAssignment'>> {
    const found = await this.principalReader.findFor(who, input.principal_id);
    if (!found) throw notFound('principal');
    const role = await this.role(who.orgId, input);
    await this.escalation.refuse(who, role.permissions);
    const refusal = unholdable(found.principal.kind, role);
    if (refusal) throw refusal;
    if (found.principal.id === systemPrincipalId(who.orgId))
      throw new Refusal('conflict', {}, 'the organization principal has no role assignments');
    const grant: RoleGrant = {
      assignment_id: assignmentId(found.principal.id, role.id),
      role_id: role.id,
      granted_by: who.principalId,
      granted_at: rfc3339(this.clock.now()),
    };
    const derived = found.principal.kind === 'agent' ? { derived: found.principal } : {};
    await this.principals.change(principalDecider.assignRole, found.principal.id, actorOf(who), { grant, ...derived });
    return assignmentView({ ...grant, principal_id: found.principal.id }, role.name);
  }

  private async role(
    orgId: string,
    { role_id, role_name }: { role_id?: string; role_name?: string },
  ): Promise<RoleRecord> {
    const builtIn = systemRoleNames.find((name) => name === role_name);
    let roleId = role_id ?? null;
    if (builtIn) roleId = await this.roleReader.systemRoleId(orgId, builtIn);
    else if (role_name !== undefined) roleId = await this.names.resolve(orgId, roleResource(this.decisions), role_name);
    const found = roleId === null ? null : await this.roleReader.find(orgId, roleId);
    if (!found) throw notFound('role');
    return found.role;
  }
}

@CommandHandler(UnassignRole)
export class UnassignRoleHandler implements ICommandHandler<UnassignRole> {
  constructor(
    private readonly principalReader: PrincipalReader,
    private readonly principals: PrincipalChanges,
    private readonly roleReader: RoleReader,
    private readonly clock: Clock,
  ) {}

  /**
   * Refuses  not_found, and last_owner for the last Owner's assignment (rule A16).
   */
  async execute({ who, input: { assignment_id: id } }: UnassignRole): Promise<void> {
    const parsed = parseAssignmentId(id);
    const found = parsed && (await this.principalReader.findFor(who, parsed.principalId));
    if (!parsed || !found || !(await this.roleReader.find(who.orgId, parsed.roleId))) throw notFound('role assignment');
    const command = { roleId: parsed.roleId, at: rfc3339(this.clock.now()) };
    await this.principals.change(principalDecider.unassignRole, parsed.principalId, actorOf(who), command);
  }
}
