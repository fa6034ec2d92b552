import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ReadStore, notFound, type Condition, type PrincipalKind } from '@aos/kernel';
import { visiblePage } from '@aos/platform';
import { derivedFirst, type PageAsked, type PageGiven } from '../listing/derived-first.js';
import type { PrincipalRecord } from '../principal/principal.events.js';
import { PrincipalReader } from '../principal/principal-reader.js';
import { RoleReader } from '../role/role-reader.js';
import { principalsCollection } from './principals.projection.js';
import { principalView, type PrincipalView } from './principals.wire.js';

export interface PrincipalFilter {
  kind?: PrincipalKind;
  includeDisabled: boolean;
}

export class ListPrincipals extends Query<PageGiven<PrincipalView>> {
  constructor(readonly orgId: string, readonly filter: PrincipalFilter, readonly page: PageAsked) { super(); }
}

export class GetPrincipal extends Query<PrincipalView> {
  constructor(readonly orgId: string, readonly principalId: string) { super(); }
}

@QueryHandler(ListPrincipals)
export class ListPrincipalsHandler implements IQueryHandler<ListPrincipals> {
  constructor(private readonly readStore: ReadStore, private readonly reader: PrincipalReader, private readonly roleReader: RoleReader) {}

  /** The organization principal first, then by creation; active ones unless asked. */
  async execute({ orgId, filter: { kind, includeDisabled }, page }: ListPrincipals): Promise<PageGiven<PrincipalView>> {
    const system = await this.reader.system(orgId);
    const derived = kind === undefined || kind === 'system' ? [principalView(system.principal, 'active', [await this.roleReader.systemRoleId(orgId, 'Owner')])] : [];
    const where: Condition[] = [
      ...(kind === undefined ? [] : [{ index: 'kind', eq: kind }]),
      ...(includeDisabled ? [] : [{ index: 'state', eq: 'active' }]),
    ];
    const query = { collection: principalsCollection, scope: [orgId], where, orderBy: { index: 'created', direction: 'asc' as const } };
    return derivedFirst(derived, (asked) => visiblePage(this.readStore, query, asked, async ({ doc }) => this.view(orgId, doc)), page);
  }

  private async view(orgId: string, doc: object): Promise<PrincipalView | null> {
    const { principal, status, role_ids } = doc as { principal: PrincipalRecord; status: 'active' | 'disabled'; role_ids: string[] };
    const live = await liveRoleIds(this.roleReader, orgId, role_ids);
    if (principal.kind !== 'agent') return principalView(principal, status, live);
    const found = await this.reader.find(orgId, principal.id); // an agent says itself what it is called, and whether it is
    return found && principalView(found.principal, status, live);
  }
}

@QueryHandler(GetPrincipal)
export class GetPrincipalHandler implements IQueryHandler<GetPrincipal> {
  constructor(private readonly reader: PrincipalReader, private readonly roleReader: RoleReader) {}

  async execute({ orgId, principalId }: GetPrincipal): Promise<PrincipalView> {
    const found = await this.reader.find(orgId, principalId);
    if (!found) throw notFound('principal');
    const roleIds = found.principal.kind === 'system' ? [await this.roleReader.systemRoleId(orgId, 'Owner')] : found.grants.map(({ role_id }) => role_id);
    return principalView(found.principal, found.status, await liveRoleIds(this.roleReader, orgId, roleIds));
  }
}

/** Roles that were deleted are left out. */
async function liveRoleIds(roleReader: RoleReader, orgId: string, roleIds: readonly string[]): Promise<string[]> {
  const live: string[] = [];
  for (const roleId of roleIds) if (await roleReader.find(orgId, roleId)) live.push(roleId);
  return live;
}
