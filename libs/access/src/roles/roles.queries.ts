import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ReadStore, notFound } from '@aos/kernel';
import { visiblePage } from '@aos/platform';
import { derivedFirst, type PageAsked, type PageGiven } from '../listing/derived-first.js';
import type { RoleRecord } from '../role/role.events.js';
import { RoleReader } from '../role/role-reader.js';
import { rolesCollection } from '../role/role.projection.js';
import { roleView, type RoleView } from '../role/role.wire.js';

export class ListRoles extends Query<PageGiven<RoleView>> {
  constructor(
    readonly orgId: string,
    readonly page: PageAsked,
  ) {
    super();
  }
}

export class GetRole extends Query<RoleView> {
  constructor(
    readonly orgId: string,
    readonly roleId: string,
  ) {
    super();
  }
}

@QueryHandler(ListRoles)
export class ListRolesHandler implements IQueryHandler<ListRoles> {
  constructor(
    private readonly readStore: ReadStore,
    private readonly roleReader: RoleReader,
  ) {}

  /** Built-in roles first, then custom ones by creation. */
  async execute({ orgId, page }: ListRoles): Promise<PageGiven<RoleView>> {
    const builtIn = (await this.roleReader.systemRoles(orgId)).map(roleView);
    const query = {
      collection: rolesCollection,
      scope: [orgId],
      orderBy: { index: 'created', direction: 'asc' as const },
    };
    return derivedFirst(
      builtIn,
      (asked) => visiblePage(this.readStore, query, asked, async ({ doc }) => roleView(doc as RoleRecord)),
      page,
    );
  }
}

@QueryHandler(GetRole)
export class GetRoleHandler implements IQueryHandler<GetRole> {
  constructor(private readonly roleReader: RoleReader) {}

  async execute({ orgId, roleId }: GetRole): Promise<RoleView> {
    const found = await this.roleReader.find(orgId, roleId);
    if (!found) throw notFound('role');
    return roleView(found.role);
  }
}
