import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ReadStore, notFound, type Condition, type Identity, type PrincipalKind } from '@aos/kernel';
import { visiblePage } from '@aos/platform';
import { derivedFirst, type PageAsked, type PageGiven } from '../listing/derived-first.js';
import type { PrincipalRecord } from '../principal/principal.events.js';
import { PrincipalReader } from '../principal/principal-reader.js';
import { RoleReader } from '../role/role-reader.js';
import { principalsCollection } from '../principal/principal.projection.js';
import { principalView, type PrincipalView } from '../principal/principal.wire.js';

export interface PrincipalFilter {
  kind?: PrincipalKind;
  includeDisabled: boolean;
}

export class ListPrincipals extends Query<PageGiven<PrincipalView>> {
  constructor(
    readonly who: Identity,
    readonly filter: PrincipalFilter,
    readonly page: PageAsked,
  ) {
    super();
  }
}

export class GetPrincipal extends Query<PrincipalView> {
  constructor(
    readonly who: Identity,
    readonly principalId: string,
  ) {
    super();
  }
}

@QueryHandler(ListPrincipals)
export class ListPrincipalsHandler implements IQueryHandler<ListPrincipals> {
  constructor(
    private readonly readStore: ReadStore,
    private readonly reader: PrincipalReader,
    private readonly roleReader: RoleReader,
  ) {}

  /** The organization principal first, then by creation; disabled ones only when asked for. */
  async execute({ who, filter: { kind, includeDisabled }, page }: ListPrincipals): Promise<PageGiven<PrincipalView>> {
    const { orgId } = who;
    const system = await this.reader.system(orgId);
    const derived =
      kind === undefined || kind === 'system'
        ? [principalView(system.principal, 'active', [await this.roleReader.systemRoleId(orgId, 'Owner')])]
        : [];
    const where: Condition[] = [
      ...(kind === undefined ? [] : [{ index: 'kind', eq: kind }]),
      ...(includeDisabled ? [] : [{ index: 'state', eq: 'active' }]),
    ];
    const query = {
      collection: principalsCollection,
      scope: [orgId],
      where,
      orderBy: { index: 'created', direction: 'asc' as const },
    };
    return derivedFirst(
      derived,
      (asked) => visiblePage(this.readStore, query, asked, async ({ doc }) => this.view(who, doc)),
      page,
    );
  }

  private async view(who: Identity, doc: object): Promise<PrincipalView | null> {
    const { principal, status, role_ids } = doc as {
      principal: PrincipalRecord;
      status: 'active' | 'disabled';
      role_ids: string[];
    };
    const live = await liveRoleIds(this.roleReader, who.orgId, role_ids);
    if (principal.kind !== 'agent') return principalView(principal, status, live);
    // name and existence of an agent's principal come from the agent itself
    const found = await this.reader.findFor(who, principal.id);
    return found && principalView(found.principal, status, live);
  }
}

@QueryHandler(GetPrincipal)
export class GetPrincipalHandler implements IQueryHandler<GetPrincipal> {
  constructor(
    private readonly reader: PrincipalReader,
    private readonly roleReader: RoleReader,
  ) {}

  async execute({ who, principalId }: GetPrincipal): Promise<PrincipalView> {
    const { orgId } = who;
    const found = await this.reader.findFor(who, principalId);
    if (!found) throw notFound('principal');
    const roleIds =
      found.principal.kind === 'system'
        ? [await this.roleReader.systemRoleId(orgId, 'Owner')]
        : found.grants.map(({ role_id }) => role_id);
    return principalView(found.principal, found.status, await liveRoleIds(this.roleReader, orgId, roleIds));
  }
}

/** Roles that were deleted are left out. */
async function liveRoleIds(roleReader: RoleReader, orgId: string, roleIds: readonly string[]): Promise<string[]> {
  const live: string[] = [];
  for (const roleId of roleIds) if (await roleReader.find(orgId, roleId)) live.push(roleId);
  return live;
}
