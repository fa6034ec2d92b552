import { Injectable, type OnModuleInit } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { RequestBody } from '@aos/contract';
import { Ids, basePermissions, invalidArgument, type Identity } from '@aos/kernel';
import { Organizations } from '../bootstrap/organizations.js';
import { CreateKey, RevokeKey } from '../keys/keys.handlers.js';
import { KeyQueries } from '../keys/keys.queries.js';
import { systemPrincipalId } from '../principal/principal.ids.js';
import { RoleReader } from '../role/role-reader.js';
import { RoleQueries } from '../roles/roles.queries.js';
import { OperatorCommands, requiredArgument, type OperatorRequest } from './operator-commands.js';
import type { OperatorOption, OperatorUsage } from './operator-usage.js';
import { organizationUsages } from './organization.commands.js';

const listMax = 1_000;
const keyRoles = ['Owner', 'Admin', 'User', 'Viewer'] as const;
const org: OperatorOption = { name: 'org', value: '<org_id>' };
const cursor: OperatorOption = { name: 'cursor', value: '<next_cursor>' };

export const accessUsages = {
  ...organizationUsages,
  keyCreate: {
    name: 'key create',
    words: '<name>',
    options: [
      org,
      { name: 'role', value: keyRoles.join('|') },
      { name: 'principal', value: '<id>' },
      { name: 'scope-role', value: '<role_id>' },
      { name: 'expires-at', value: '<time>' },
    ],
    summary: 'Issues an API key; the secret is shown this once.',
  },
  keyList: { name: 'key list', options: [org, cursor], summary: `Lists the API keys, ${listMax} at a time.` },
  keyRevoke: { name: 'key revoke', words: '<key_id>', options: [org], summary: 'Revokes an API key at once.' },
  roleList: { name: 'role list', options: [org, cursor], summary: `Lists the roles, ${listMax} at a time.` },
} satisfies Record<string, OperatorUsage>;

/**
 * The operator's commands about keys and roles: the same commands and queries as over HTTP, as the organization
 * principal.
 */
@Injectable()
export class AccessOperatorCommands implements OnModuleInit {
  constructor(
    private readonly operator: OperatorCommands,
    private readonly organizations: Organizations,
    private readonly roleReader: RoleReader,
    private readonly commandBus: CommandBus,
    private readonly keys: KeyQueries,
    private readonly roles: RoleQueries,
    private readonly ids: Ids,
  ) {}

  onModuleInit(): void {
    const { keyCreate, keyList, keyRevoke, roleList } = accessUsages;
    this.operator.register({
      ...keyCreate,
      run: async (request) => this.commandBus.execute(new CreateKey(await this.operatorOf(request), keyInput(request))),
    });
    this.operator.register({
      ...keyRevoke,
      run: async (request) => {
        const keyId = requiredArgument(request, 'key_id');
        await this.commandBus.execute(new RevokeKey(await this.operatorOf(request), { api_key_id: keyId }));
        return { revoked: keyId };
      },
    });
    this.operator.register({
      ...keyList,
      run: async (request) => this.keys.list(await this.operatorOf(request), pageOf(request)),
    });
    this.operator.register({
      ...roleList,
      run: async (request) => this.roles.list(await this.operatorOf(request), pageOf(request)),
    });
  }

  /** An Owner's identity in the organization that was named, or in the first one. */
  private async operatorOf({ options }: OperatorRequest): Promise<Identity> {
    const orgId = options.org ?? (await this.organizations.first());
    if (orgId === null) throw invalidArgument('org', 'name an organization with --org');
    const ownerRoleId = await this.roleReader.systemRoleId(orgId, 'Owner');
    return {
      orgId,
      principalId: systemPrincipalId(orgId),
      kind: 'system',
      apiKeyId: null,
      permissions: new Set(basePermissions),
      roles: [{ roleId: ownerRoleId, revision: 0 }],
      cap: null,
      requestId: `svc-${this.ids.ulid()}`,
      ip: null,
    };
  }
}

function pageOf({ options }: OperatorRequest): { limit: number; cursor?: string } {
  return { limit: listMax, ...(options.cursor !== undefined && { cursor: options.cursor }) };
}

function keyInput(request: OperatorRequest): RequestBody<'createAPIKey'> {
  const { role, principal, 'scope-role': scopeRole, 'expires-at': expiresAt } = request.options;
  const keyRole = keyRoles.find((name) => name === role);
  if (role !== undefined && !keyRole) throw invalidArgument('role', `takes one of ${keyRoles.join(', ')}`);
  if (expiresAt !== undefined && Number.isNaN(Date.parse(expiresAt)))
    throw invalidArgument('expires-at', 'takes a time such as 2030-01-01T00:00:00Z');
  return {
    name: requiredArgument(request, 'name'),
    ...(keyRole && { role: keyRole }),
    ...(principal !== undefined && { principal_id: principal }),
    ...(scopeRole !== undefined && { scope_role_id: scopeRole }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
  };
}
