import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply } from '@aos/contract';
import { ReadStore, badRequest, rfc3339, type Condition, type Identity, collectionOf } from '@aos/kernel';
import { CursorSeal, Decisions, Projectors, listScope, visibleList } from '@aos/platform';
import { occurrencesProjection } from '../occurrence/occurrence.projection.js';
import { occurrenceKind } from '../occurrence/occurrence.state.js';
import { occurrenceWire } from '../occurrence/occurrence.wire.js';
import { RoutineDirectory } from '../routine/routine-directory.js';

@Injectable()
export class OccurrenceQueries {
  constructor(
    private readonly readStore: ReadStore,
    private readonly decisions: Decisions,
    private readonly directory: RoutineDirectory,
    private readonly projectors: Projectors,
    private readonly seal: CursorSeal,
  ) {}

  /** Newest first, of routines within the caller's reach. Refuses not_found for a routine that is not. */
  async list(who: Identity, filter: QueryOf<'listRoutineOccurrences'>): Promise<Reply<'listRoutineOccurrences'>> {
    const { routine_id: routineId, owner_id: owner, status, since, until } = filter;
    if (routineId !== undefined) await this.directory.visible(who, routineId);
    const collection = collectionOf(occurrencesProjection);
    this.projectors.requireCaughtUp(collection);
    const where: Condition[] = [
      ...(routineId === undefined ? [] : [{ index: 'routine', eq: routineId }]),
      ...(owner === undefined ? [] : [{ index: 'owner', eq: owner }]),
      ...(status === undefined || status.length === 0 ? [] : [{ index: 'status', in: status }]),
      ...(since === undefined ? [] : [{ index: 'at', gte: timeOf(since, 'since') }]),
      ...(until === undefined ? [] : [{ index: 'at', lt: timeOf(until, 'until') }]),
    ];
    const scope = listScope(who.orgId, 'routine_occurrences', { ...filter });
    const seen = new Map<string, Promise<boolean>>();
    return visibleList(
      this.readStore,
      { collection, scope: [who.orgId], where, orderBy: { index: 'created', direction: 'desc' } },
      { ...filter, seal: this.seal, scope },
      async ({ key, doc }) => {
        if (!(await this.isSeen(who, String(doc.routine_id), seen))) return null;
        const { state } = await this.decisions.load(occurrenceKind, key);
        return state.occurrence && (status === undefined || status.length === 0 || status.includes(state.status))
          ? occurrenceWire(state)
          : null;
      },
    );
  }

  /** One look at each routine for a whole page. */
  private isSeen(who: Identity, routineId: string, seen: Map<string, Promise<boolean>>): Promise<boolean> {
    const known =
      seen.get(routineId) ??
      this.directory
        .find(who.orgId, routineId)
        .then((routine) => routine !== null && this.directory.sees(who, routine));
    seen.set(routineId, known);
    return known;
  }
}

function timeOf(text: string, name: string): string {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw badRequest([{ path: `query.${name}`, message: 'must be a time of the calendar' }]);
  return rfc3339(at);
}
