import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply, Schema } from '@aos/contract';
import { ReadStore, looksLikeId, type Condition, type Identity } from '@aos/kernel';
import { CursorSeal, listScope, visiblePage } from '@aos/platform';
import { pageAnswer, wholeOrPage } from '../listing/answer.js';
import { storedOnly, type PageAsked, type PageGiven } from '../listing/derived-first.js';
import { AgentPrincipals } from '../principal/agent-principals.js';
import { RoleReader } from '../role/role-reader.js';
import { assignmentRows } from '../principal/assignments.projection.js';
import { assignmentView } from '../principal/assignments.wire.js';

@Injectable()
export class AssignmentQueries {
  constructor(
    private readonly readStore: ReadStore,
    private readonly roleReader: RoleReader,
    private readonly agents: AgentPrincipals,
    private readonly seal: CursorSeal,
  ) {}

  /**
   * By creation; grants of a role that was deleted, and of agents out of reach, are left out. `sent`: the query as the
   * caller wrote it, without defaults.
   */
  async list(
    who: Identity,
    query: QueryOf<'listRoleAssignments'>,
    sent: Readonly<Record<string, unknown>>,
  ): Promise<Reply<'listRoleAssignments'>> {
    const { principal_id, role_id } = query;
    const scope = listScope(who.orgId, 'role-assignments', { principal_id, role_id });
    const page = await this.page(who, query, wholeOrPage(this.seal, scope, query, sent));
    return pageAnswer(this.seal, scope, page);
  }

  private async page(
    who: Identity,
    { principal_id: principalId, role_id: roleId }: QueryOf<'listRoleAssignments'>,
    page: PageAsked,
  ): Promise<PageGiven<Schema<'RoleAssignment'>>> {
    const where: Condition[] = [
      ...(principalId === undefined ? [] : [{ index: 'principal', eq: principalId }]),
      ...(roleId === undefined ? [] : [{ index: 'role', eq: roleId }]),
    ];
    const query = {
      collection: assignmentRows,
      scope: [who.orgId],
      where,
      orderBy: { index: 'created', direction: 'asc' as const },
    };
    return storedOnly(
      (asked) =>
        visiblePage(this.readStore, query, { ...asked, hidesRest: true }, async ({ doc: grant }) => {
          const found = await this.roleReader.find(who.orgId, grant.role_id);
          return found && (await this.isSeen(who, grant.principal_id)) ? assignmentView(grant, found.role.name) : null;
        }),
      page,
    );
  }

  /** The principal of an agent out of reach looks as if it did not exist (control S7). */
  private async isSeen(who: Identity, principalId: string): Promise<boolean> {
    return !looksLikeId('agent', principalId) || this.agents.isVisible(who, principalId);
  }
}
