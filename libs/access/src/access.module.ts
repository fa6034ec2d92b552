import { Module, type OnModuleInit } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { IdentitySource, Reactors, WriterProjections, commandHandlersIn } from '@aos/platform';
import { AssignmentsController } from './assignments/assignments.controller.js';
import * as assignments from './assignments/assignments.handlers.js';
import { assignmentsProjection } from './principal/assignments.projection.js';
import { AssignmentQueries } from './assignments/assignments.queries.js';
import { accessAuditMappings } from './audit/access.audit.js';
import { AuditController } from './audit/audit.controller.js';
import { AuditQueries } from './audit/audit.queries.js';
import { AuditMappings } from './audit/audit-mapping.js';
import { AuditProjector } from './audit/audit-projector.js';
import { FirstOrganization } from './bootstrap/first-organization.js';
import { Organizations } from './bootstrap/organizations.js';
import { PermissionsController } from './catalog/catalog.controller.js';
import { PermissionCatalog } from './catalog/catalog.js';
import { PermissionQueries } from './catalog/catalog.queries.js';
import { OrganizationContextController } from './context/context.controller.js';
import * as context from './context/context.handlers.js';
import { OrganizationContext } from './context/context.js';
import { ContextQueries } from './context/context.queries.js';
import { ActivePrincipals } from './identity/active-principals.js';
import { ActingOwners } from './identity/acting-owners.js';
import { AccessChanges } from './changes/access-changes.js';
import { AccessDecisions } from './changes/access-decisions.js';
import { ApiKeyIdentitySource } from './identity/api-key-identity-source.js';
import { BrowserTokenIdentities } from './identity/browser-token-identities.js';
import { RevokedStreams } from './identity/revoked-streams.js';
import { Escalation } from './identity/escalation.js';
import { Execution } from './identity/execution.js';
import { Granted } from './identity/granted.js';
import { ApiKeysController } from './keys/keys.controller.js';
import * as keys from './keys/keys.handlers.js';
import { keysProjection } from './apikey/apikey.projection.js';
import { KeyQueries } from './keys/keys.queries.js';
import { KeysWriter } from './keys/keys-writer.js';
import { MeController } from './me/me.controller.js';
import { MeQueries } from './me/me.queries.js';
import { Names } from './names/names.js';
import { AccessOperatorCommands } from './operator/access.commands.js';
import { OperatorCommands } from './operator/operator-commands.js';
import { OperatorSocket } from './operator/operator-socket.js';
import * as operators from './operator/operators.handlers.js';
import { OrganizationOperatorCommands } from './operator/organization.commands.js';
import { RebuildOperatorCommands } from './operator/rebuild.commands.js';
import { SecretsOperatorCommands } from './operator/secrets.commands.js';
import { OrganizationPlans } from './organization/plans.js';
import { OrganizationSalts } from './organization/salts.js';
import { ReturnOriginsController } from './origins/origins.controller.js';
import * as origins from './origins/origins.handlers.js';
import { ReturnOriginQueries } from './origins/origins.queries.js';
import { ReturnOrigins } from './origins/return-origins.js';
import { AgentPrincipals } from './principal/agent-principals.js';
import { FollowingPrincipalsReactor } from './principals/following-principals.reactor.js';
import { PrincipalReader } from './principal/principal-reader.js';
import { PrincipalChanges } from './principals/principal-changes.js';
import { PrincipalsController } from './principals/principals.controller.js';
import * as principals from './principals/principals.handlers.js';
import { principalsProjection } from './principal/principal.projection.js';
import { PrincipalQueries } from './principals/principals.queries.js';
import { RoleGrants } from './principals/role-grants.js';
import { RoleReader } from './role/role-reader.js';
import { DeletedRoles } from './principals/deleted-roles.js';
import { RolesController } from './roles/roles.controller.js';
import * as roles from './roles/roles.handlers.js';
import { rolesProjection } from './role/role.projection.js';
import { RoleQueries } from './roles/roles.queries.js';
import { TokensController } from './tokens/tokens.controller.js';
import * as tokens from './tokens/tokens.handlers.js';

/**
 * The part of this context that other processes need, such as a gateway, which serves none of its operations. It turns
 * keys into identities and reads salts and permissions.
 */
const readers = [
  AccessChanges,
  AccessDecisions,
  ActivePrincipals,
  AgentPrincipals,
  ApiKeyIdentitySource,
  BrowserTokenIdentities,
  Execution,
  FirstOrganization,
  Granted,
  OrganizationContext,
  OrganizationPlans,
  OrganizationSalts,
  PermissionCatalog,
  PrincipalReader,
  ReturnOrigins,
  RoleReader,
];

const identitySource = { provide: IdentitySource, useExisting: BrowserTokenIdentities };

@Module({ providers: [...readers, identitySource], exports: [...readers, IdentitySource] })
export class AccessReadersModule {}

/** For a process that authenticates keys and serves streams itself. */
@Module({ imports: [AccessReadersModule], providers: [RevokedStreams] })
export class RevokedStreamsModule {}

const handlers = [assignments, context, keys, origins, principals, roles, tokens].flatMap(commandHandlersIn);

const queries = [
  AssignmentQueries,
  AuditQueries,
  ContextQueries,
  KeyQueries,
  MeQueries,
  PermissionQueries,
  PrincipalQueries,
  ReturnOriginQueries,
  RoleQueries,
];

@Module({
  imports: [CqrsModule, AccessReadersModule],
  controllers: [
    AssignmentsController,
    ApiKeysController,
    AuditController,
    MeController,
    OrganizationContextController,
    PermissionsController,
    PrincipalsController,
    ReturnOriginsController,
    RolesController,
    TokensController,
  ],
  providers: [
    OrganizationOperatorCommands,
    AccessOperatorCommands,
    ActingOwners,
    FollowingPrincipalsReactor,
    AuditMappings,
    AuditProjector,
    DeletedRoles,
    Escalation,
    KeysWriter,
    Names,
    OperatorCommands,
    Organizations,
    PrincipalChanges,
    Reactors,
    RoleGrants,
    ...handlers,
    ...queries,
  ],
  exports: [AccessReadersModule, AuditMappings, OperatorCommands, Organizations],
})
export class AccessModule implements OnModuleInit {
  constructor(
    private readonly projections: WriterProjections,
    private readonly audit: AuditMappings,
  ) {}

  onModuleInit(): void {
    this.projections.register(assignmentsProjection);
    this.projections.register(keysProjection);
    this.projections.register(principalsProjection);
    this.projections.register(rolesProjection);
    this.audit.register(...accessAuditMappings);
  }
}

/** Lets the operator's command line reach the running service: for the process that owns the data directory. */
@Module({ imports: [AccessModule], providers: [OperatorSocket, RebuildOperatorCommands, SecretsOperatorCommands] })
export class OperatorSocketModule {}

/** Lets the operator's command line reach access-service in a fleet. */
@Module({ imports: [AccessModule], providers: [...commandHandlersIn(operators), SecretsOperatorCommands] })
export class OperatorEndpointModule {}
