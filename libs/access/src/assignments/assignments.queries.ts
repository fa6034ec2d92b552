import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply, Schema } from '@aos/contract';
import { ReadStore, type Condition, type Identity } from '@aos/kernel';
import { CursorSeal, listScope, visiblePage } from '@aos/platform';
import { pageAnswer, wholeOrPage } from '../listing/answer.js';
import { storedOnly, type PageAsked, type PageGiven } from '../listing/derived-first.js';
import { RoleReader } from '../role/role-reader.js';
import { assignmentRows } from '../principal/assignments.projection.js';
import { assignmentView } from '../principal/assignments.wire.js';

@Injectable()
export class AssignmentQueries {
  constructor(
    private readonly readStore: ReadStore,
    private readonly roleReader: RoleReader,
    private readonly seal: CursorSeal,
  ) {}

  /**
   * By creation; grants of a role that was deleted are left out. `sent`: the query as the caller wrote it, without
   * defaults.
   */
  async list(
    { orgId }: Identity,
    query: QueryOf<'listRoleAssignments'>,
    sent: Readonly<Record<string, unknown>>,
  ): Promise<Reply<'listRoleAssignments'>> {
    const { principal_id, role_id } = query;
    const scope = listScope(orgId, 'role-assignments', { principal_id, role_id });
    const page = await this.page(orgId, query, wholeOrPage(this.seal, scope, query, sent));
    return pageAnswer(this.seal, scope, page);
  }

  private async page(
    orgId: string,
    { principal_id: principalId, role_id: roleId }: QueryOf<'listRoleAssignments'>,
    page: PageAsked,
  ): Promise<PageGiven<Schema<'RoleAssignment'>>> {
    const where: Condition[] = [
      ...(principalId === undefined ? [] : [{ index: 'principal', eq: principalId }]),
      ...(roleId === undefined ? [] : [{ index: 'role', eq: roleId }]),
    ];
    const query = {
      collection: assignmentRows,
      scope: [orgId],
      where,
      orderBy: { index: 'created', direction: 'asc' as const },
    };
    return storedOnly(
      (asked) =>
        visiblePage(this.readStore, query, asked, async ({ doc: grant }) => {
          const found = await this.roleReader.find(orgId, grant.role_id);
          return found ? assignmentView(grant, found.role.name) : null;
        }),
      page,
    );
  }
}
