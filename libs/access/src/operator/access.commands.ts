import { Injectable, type OnModuleInit } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Ids, basePermissions, invalidArgument, type Identity, type Json, type JsonObject } from '@aos/kernel';
import { serviceActor } from '@aos/platform';
import { Organizations } from '../bootstrap/organizations.js';
import { CreateKey, RevokeKey, type CreateKeyInput } from '../keys/keys.handlers.js';
import { OrganizationPlans } from '../organization/plans.js';
import { ListKeys } from '../keys/keys.queries.js';
import { systemPrincipalId } from '../principal/principal.ids.js';
import { RoleReader } from '../role/role-reader.js';
import { ListRoles } from '../roles/roles.queries.js';
import { OperatorCommands, type OperatorRequest, type OperatorUsage } from './operator-commands.js';

export const accessUsages = {
  orgCreate: {
    name: 'org create',
    usage: 'org create <name>',
    summary: 'Makes an organization; prints its id and Owner key, shown this once.',
  },
  orgPlan: {
    name: 'org plan',
    usage: 'org plan <org_id> <plan>',
    summary: 'Puts an organization on a billing plan; models whose plans do not name it are closed to it.',
  },
  keyCreate: {
    name: 'key create',
    usage:
      'key create <name> [--org <org_id>] [--role Owner|Admin|User|Viewer] [--principal <id> [--scope-role <role_id>]] [--expires-at <time>]',
    summary: 'Issues an API key; the secret is shown this once.',
  },
  keyList: { name: 'key list', usage: 'key list [--org <org_id>]', summary: 'Lists the API keys.' },
  keyRevoke: {
    name: 'key revoke',
    usage: 'key revoke <key_id> [--org <org_id>]',
    summary: 'Revokes an API key at once.',
  },
  roleList: { name: 'role list', usage: 'role list [--org <org_id>]', summary: 'Lists the roles.' },
} satisfies Record<string, OperatorUsage>;

const listMax = 1_000;
const keyRoles = ['Owner', 'Admin', 'User', 'Viewer'] as const;

/**
 * The operator's commands of this context: the same commands and queries as over HTTP, as the organization principal.
 */
@Injectable()
export class AccessOperatorCommands implements OnModuleInit {
  constructor(
    private readonly operator: OperatorCommands,
    private readonly organizations: Organizations,
    private readonly plans: OrganizationPlans,
    private readonly roleReader: RoleReader,
    private readonly commandBus: CommandBus,
    private readonly queryBus: QueryBus,
    private readonly ids: Ids,
  ) {}

  onModuleInit(): void {
    const { orgCreate, orgPlan, keyCreate, keyList, keyRevoke, roleList } = accessUsages;
    this.operator.register({
      ...orgCreate,
      run: async (request) => {
        const { orgId, ownerKey } = await this.organizations.create(argument(request, 'name'));
        return { org_id: orgId, owner_key: ownerKey };
      },
    });
    this.operator.register({
      ...orgPlan,
      run: async ({ args }) => {
        const [orgId = '', plan = '', ...rest] = args;
        if (rest.length > 0) throw invalidArgument('plan', 'is one word');
        return {
          org_id: orgId,
          plan: await this.plans.change(serviceActor(orgId, systemPrincipalId(orgId), 'svc.org.plan'), plan),
        };
      },
    });
    this.operator.register({
      ...keyCreate,
      run: async (request) =>
        this.commandBus.execute(new CreateKey(await this.operatorOf(request), keyInput(request))) as Promise<Json>,
    });
    this.operator.register({
      ...keyRevoke,
      run: async (request) => {
        const keyId = argument(request, 'key_id');
        await this.commandBus.execute(new RevokeKey(await this.operatorOf(request), keyId));
        return { revoked: keyId };
      },
    });
    this.operator.register({
      ...keyList,
      run: async (request) => {
        const { items } = await this.queryBus.execute(
          new ListKeys((await this.operatorOf(request)).orgId, { limit: listMax, after: null }),
        );
        return { items } as unknown as JsonObject;
      },
    });
    this.operator.register({
      ...roleList,
      run: async (request) => {
        const { items } = await this.queryBus.execute(
          new ListRoles((await this.operatorOf(request)).orgId, { limit: listMax, after: null }),
        );
        return { items } as unknown as JsonObject;
      },
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

function argument({ args }: OperatorRequest, name: string): string {
  const text = args.join(' ').trim();
  if (text === '') throw invalidArgument(name, 'is missing');
  return text;
}

function keyInput(request: OperatorRequest): CreateKeyInput {
  const { role, principal, 'scope-role': scopeRole, 'expires-at': expiresAt } = request.options;
  const keyRole = keyRoles.find((name) => name === role);
  if (role !== undefined && !keyRole) throw invalidArgument('role', `takes one of ${keyRoles.join(', ')}`);
  if (expiresAt !== undefined && Number.isNaN(Date.parse(expiresAt)))
    throw invalidArgument('expires-at', 'takes a time such as 2030-01-01T00:00:00Z');
  return {
    name: argument(request, 'name'),
    ...(keyRole && { role: keyRole }),
    ...(principal !== undefined && { principal_id: principal }),
    ...(scopeRole !== undefined && { scope_role_id: scopeRole }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
  };
}
