import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ReadStore, type Condition } from '@aos/kernel';
import { visiblePage } from '@aos/platform';
import { storedOnly, type PageAsked, type PageGiven } from '../listing/derived-first.js';
import { RoleReader } from '../role/role-reader.js';
import { assignmentsCollection } from '../principal/assignments.projection.js';
import { assignmentView, type AssignmentDoc, type AssignmentView } from '../principal/assignments.wire.js';

export interface AssignmentFilter {
  principalId?: string;
  roleId?: string;
}

export class ListAssignments extends Query<PageGiven<AssignmentView>> {
  constructor(
    readonly orgId: string,
    readonly filter: AssignmentFilter,
    readonly page: PageAsked,
  ) {
    super();
  }
}

@QueryHandler(ListAssignments)
export class ListAssignmentsHandler implements IQueryHandler<ListAssignments> {
  constructor(
    private readonly readStore: ReadStore,
    private readonly roleReader: RoleReader,
  ) {}

  /** By creation; grants of a role that was deleted are left out. */
  async execute({ orgId, filter: { principalId, roleId }, page }: ListAssignments): Promise<PageGiven<AssignmentView>> {
    const where: Condition[] = [
      ...(principalId === undefined ? [] : [{ index: 'principal', eq: principalId }]),
      ...(roleId === undefined ? [] : [{ index: 'role', eq: roleId }]),
    ];
    const query = {
      collection: assignmentsCollection,
      scope: [orgId],
      where,
      orderBy: { index: 'created', direction: 'asc' as const },
    };
    return storedOnly(
      (asked) =>
        visiblePage(this.readStore, query, asked, async ({ doc }) => {
          const grant = doc as AssignmentDoc;
          const found = await this.roleReader.find(orgId, grant.role_id);
          return found ? assignmentView(grant, found.role.name) : null;
        }),
      page,
    );
  }
}
