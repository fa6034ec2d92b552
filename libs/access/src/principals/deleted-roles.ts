import { Injectable } from '@nestjs/common';
import { ReadStore, type CollectionPage, type QueryCursor } from '@aos/kernel';
import type { Actor } from '@aos/platform';
import type { AssignmentDoc } from '../principal/assignments.wire.js';
import { assignmentRows } from '../principal/assignments.projection.js';
import { principalDecider } from '../principal.decider.js';
import { PrincipalChanges } from './principal-changes.js';

const rowsAtOnce = 500;

/** What a deleted role leaves: the assignments of it, which readers leave out until they are ended. */
@Injectable()
export class DeletedRoles {
  constructor(
    private readonly principals: PrincipalChanges,
    private readonly readStore: ReadStore,
  ) {}

  /** Done twice it is the same as once. */
  async endAssignments(actor: Actor, roleId: string, at: string): Promise<void> {
    let after: QueryCursor | null = null;
    do {
      const page: CollectionPage<AssignmentDoc> = await assignmentRows.query(this.readStore, {
        scope: [actor.orgId],
        where: [{ index: 'role', eq: roleId }],
        limit: rowsAtOnce,
        ...(after ? { after } : {}),
      });
      for (const { doc } of page.rows)
        await this.principals.change(principalDecider.endAssignment, doc.principal_id, actor, { roleId, at });
      after = page.next;
    } while (after);
  }
}
