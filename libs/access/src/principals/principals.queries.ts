import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply, Schema } from '@aos/contract';
import { ReadStore, notFound, type Condition, type Identity, type PrincipalKind } from '@aos/kernel';
import { CursorSeal, listScope, visiblePage } from '@aos/platform';
import { pageAnswer, wholeOrPage } from '../listing/answer.js';
import { derivedFirst, type PageAsked, type PageGiven } from '../listing/derived-first.js';
import { PrincipalReader } from '../principal/principal-reader.js';
import { RoleReader } from '../role/role-reader.js';
import { principalRows, type PrincipalRow } from '../principal/principal.projection.js';
import { principalView } from '../principal/principal.wire.js';

@Injectable()
export class PrincipalQueries {
  constructor(
    private readonly readStore: ReadStore,
    private readonly reader: PrincipalReader,
    private readonly roleReader: RoleReader,
    private readonly seal: CursorSeal,
  ) {}

  /** `sent`: the query as the caller wrote it, without defaults. */
  async list(
    who: Identity,
    query: QueryOf<'listPrincipals'>,
    sent: Readonly<Record<string, unknown>>,
  ): Promise<Reply<'listPrincipals'>> {
    const { kind, include_disabled = false } = query;
    const scope = listScope(who.orgId, 'principals', { kind, include_disabled });
    const filter = { includeDisabled: include_disabled, ...(kind !== undefined && { kind }) };
    return pageAnswer(this.seal, scope, await this.page(who, filter, wholeOrPage(this.seal, scope, query, sent)));
  }

  /** The organization principal first, then by creation; disabled ones only when asked for. */
  async page(
    who: Identity,
    { kind, includeDisabled }: { kind?: PrincipalKind; includeDisabled: boolean },
    page: PageAsked,
  ): Promise<PageGiven<Schema<'Principal'>>> {
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
      collection: principalRows,
      scope: [orgId],
      where,
      orderBy: { index: 'created', direction: 'asc' as const },
    };
    return derivedFirst(
      derived,
      (asked) =>
        visiblePage(this.readStore, query, { ...asked, hidesRest: true }, async ({ doc }) => this.view(who, doc)),
      page,
    );
  }

  async get(who: Identity, principalId: string): Promise<Schema<'Principal'>> {
    const { orgId } = who;
    const found = await this.reader.findFor(who, principalId);
    if (!found) throw notFound('principal');
    const roleIds =
      found.principal.kind === 'system'
        ? [await this.roleReader.systemRoleId(orgId, 'Owner')]
        : found.grants.map(({ role_id }) => role_id);
    return principalView(found.principal, found.status, await this.roleReader.liveIds(orgId, roleIds));
  }

  private async view(
    who: Identity,
    { principal, status, role_ids }: PrincipalRow,
  ): Promise<Schema<'Principal'> | null> {
    const live = await this.roleReader.liveIds(who.orgId, role_ids);
    if (principal.kind !== 'agent') return principalView(principal, status, live);
    // name and existence of an agent's principal come from the agent itself
    const found = await this.reader.findFor(who, principal.id);
    return found && principalView(found.principal, status, live);
  }
}
