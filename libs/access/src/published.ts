export {
  AccessModule,
  AccessReadersModule,
  OperatorEndpointModule,
  OperatorSocketModule,
  RevokedStreamsModule,
} from './access.module.js';
export { FirstOrganization } from './bootstrap/first-organization.js';
export { ActivePrincipals, type EnabledAgent } from './identity/active-principals.js';
export { AccessChanges } from './changes/access-changes.js';
export { ApiKeyIdentitySource } from './identity/api-key-identity-source.js';
export { Execution } from './identity/execution.js';
export { Granted } from './identity/granted.js';
export { organizationIdentity } from './identity/organization-identity.js';
export { OrganizationContext } from './context/context.js';
export { OrganizationPlans } from './organization/plans.js';
export { OrganizationSalts } from './organization/salts.js';
export { ReturnOrigins } from './origins/return-origins.js';
export { AgentPrincipals, type AgentAsPrincipal, type AgentDirectory } from './principal/agent-principals.js';
export { systemPrincipalId } from './principal/principal.ids.js';
export { PrincipalReader, type FoundPrincipal } from './principal/principal-reader.js';
export { PermissionCatalog, type ActionGroupsOf } from './catalog/catalog.js';
export type { ActionPermissionGroup } from './catalog/permissions.js';
export { executePermissionOf } from './catalog/grants.decide.js';
export { OperatorCommands } from './operator/operator-commands.js';
export type { OperatorUsage } from './operator/operator-usage.js';
export { RunOperatorCommand, operatorCommandName } from './operator/operators.commands.js';
export { AuditMappings, type AuditFact, type AuditMapping } from './audit/audit-mapping.js';
