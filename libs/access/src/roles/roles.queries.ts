import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply, Schema } from '@aos/contract';
import { ReadStore, notFound, type Identity } from '@aos/kernel';
import { CursorSeal, listScope, visiblePage } from '@aos/platform';
import { pageAnswer, pageAsked } from '../listing/answer.js';
import { derivedFirst, type PageAsked, type PageGiven } from '../listing/derived-first.js';
import { RoleReader } from '../role/role-reader.js';
import { roleRows } from '../role/role.projection.js';
import { roleView } from '../role/role.wire.js';

@Injectable()
export class RoleQueries {
  constructor(
    private readonly readStore: ReadStore,
    private readonly roleReader: RoleReader,
    private readonly seal: CursorSeal,
  ) {}

  async list({ orgId }: Identity, query: QueryOf<'listRoles'>): Promise<Reply<'listRoles'>> {
    const scope = listScope(orgId, 'roles');
    return pageAnswer(this.seal, scope, await this.page(orgId, pageAsked(this.seal, scope, query)));
  }

  /** Built-in roles first, then custom ones by creation. */
  private async page(orgId: string, page: PageAsked): Promise<PageGiven<Schema<'Role'>>> {
    const builtIn = (await this.roleReader.systemRoles(orgId)).map(roleView);
    const query = { collection: roleRows, scope: [orgId], orderBy: { index: 'created', direction: 'asc' as const } };
    return derivedFirst(
      builtIn,
      (asked) => visiblePage(this.readStore, query, asked, async ({ doc }) => roleView(doc)),
      page,
    );
  }

  async get({ orgId }: Identity, roleId: string): Promise<Schema<'Role'>> {
    const found = await this.roleReader.find(orgId, roleId);
    if (!found) throw notFound('role');
    return roleView(found.role);
  }
}
