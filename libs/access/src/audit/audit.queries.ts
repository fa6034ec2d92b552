import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply } from '@aos/contract';
import { ReadStore, isAsked, rfc3339, type Condition, type Identity } from '@aos/kernel';
import { CursorSeal, listScope, visiblePage } from '@aos/platform';
import { pageAnswer, pageAsked } from '../listing/answer.js';
import { storedOnly } from '../listing/derived-first.js';
import { auditEntries } from './audit-mapping.js';
import { AuditProjector } from './audit-projector.js';

@Injectable()
export class AuditQueries {
  constructor(
    private readonly readStore: ReadStore,
    private readonly projector: AuditProjector,
    private readonly seal: CursorSeal,
  ) {}

  /** Newest first. */
  async list(who: Identity, query: QueryOf<'listAuditEntries'>): Promise<Reply<'listAuditEntries'>> {
    await this.projector.requireBuilt();
    const { action = [], actor_id, resource_type, resource_id, since } = query;
    const scope = listScope(who.orgId, 'audit', { action, actor_id, resource_type, resource_id, since });
    const [only] = action;
    const where: Condition[] = [
      ...(action.length === 1 && only !== undefined && isIndexed(only) ? [{ index: 'actions', has: only }] : []),
      ...(actor_id === undefined ? [] : [{ index: 'actor', eq: actor_id }]),
      ...(resource_type === undefined ? [] : [{ index: 'resource_type', eq: resource_type }]),
      ...(resource_id === undefined ? [] : [{ index: 'resource', eq: resource_id }]),
      ...(since === undefined ? [] : [{ index: 'at', gte: rfc3339(Date.parse(since)) }]),
    ];
    const rows = {
      collection: auditEntries,
      scope: [who.orgId],
      where,
      orderBy: { index: 'position', direction: 'desc', everyRow: true } as const,
    };
    const page = await storedOnly(
      (asked) =>
        visiblePage(this.readStore, rows, asked, async ({ doc }) => (isAsked(doc.action, action) ? doc : null)),
      pageAsked(this.seal, scope, query),
    );
    return pageAnswer(this.seal, scope, page);
  }
}

/** Exact names, and `family.*` of a two-part name, have an index; longer prefixes are checked row by row. */
function isIndexed(asked: string): boolean {
  return !asked.endsWith('.*') || asked.indexOf('.') === asked.length - 2;
}
