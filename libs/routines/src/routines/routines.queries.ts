import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply, Schema } from '@aos/contract';
import { ReadStore, invalidArgument, type Condition, type Identity, collectionOf } from '@aos/kernel';
import { CursorSeal, Decisions, pageLimitDefault, Projectors, listScope, positionOf, visibleList } from '@aos/platform';
import { PrincipalReader } from '@aos/access/published';
import type { RoutineEvent } from '../routine/routine.events.js';
import { RoutineDirectory } from '../routine/routine-directory.js';
import { routinesProjection } from '../routine/routine.projection.js';
import { routineKind } from '../routine/routine.state.js';
import { changeWire } from './changes.wire.js';

const readPage = 200;
/** Events looked at for one page: a routine that fires often has few changes between many firings. */
const readsMax = 25;

@Injectable()
export class RoutineQueries {
  constructor(
    private readonly readStore: ReadStore,
    private readonly decisions: Decisions,
    private readonly directory: RoutineDirectory,
    private readonly principals: PrincipalReader,
    private readonly projectors: Projectors,
    private readonly seal: CursorSeal,
  ) {}

  /** Refuses not_found. */
  async get(who: Identity, routineId: string): Promise<Reply<'getRoutine'>> {
    return this.directory.view(who, await this.directory.visible(who, routineId));
  }

  /** Oldest first, cancelled ones too, within the caller's reach. */
  async list(who: Identity, filter: QueryOf<'listRoutines'>): Promise<Reply<'listRoutines'>> {
    const { owner_id: owner, agent_id: agent, origin_session_id: session } = filter;
    const collection = collectionOf(routinesProjection);
    this.projectors.requireCaughtUp(collection);
    const where: Condition[] = [
      ...(owner === undefined ? [] : [{ index: 'owner', eq: owner }]),
      ...(agent === undefined ? [] : [{ index: 'agent', eq: agent }]),
      ...(session === undefined ? [] : [{ index: 'session', eq: session }]),
    ];
    const scope = listScope(who.orgId, 'routines', { ...filter });
    return visibleList(
      this.readStore,
      { collection, scope: [who.orgId], where, orderBy: { index: 'created', direction: 'asc' } },
      { ...filter, seal: this.seal, scope },
      async ({ key }) => {
        const routine = await this.directory.find(who.orgId, key);
        return routine && (await this.directory.sees(who, routine)) ? this.directory.view(who, routine) : null;
      },
    );
  }

  /** Newest first, from the routine's own stream; its firings are in its occurrences. */
  async changes(
    who: Identity,
    routineId: string,
    page: QueryOf<'listRoutineChanges'>,
  ): Promise<Reply<'listRoutineChanges'>> {
    await this.directory.visible(who, routineId);
    const { limit = pageLimitDefault } = page;
    const scope = listScope(who.orgId, 'routine_changes', { routine_id: routineId });
    const position = positionOf(this.seal, scope, page.cursor);
    let from = position === null ? undefined : Number(position);
    if (from !== undefined && !Number.isSafeInteger(from)) throw invalidArgument('cursor', 'is none');
    const items: Schema<'RoutineChange'>[] = [];
    for (let reads = 0; reads < readsMax; reads += 1) {
      const events = await this.decisions.read<RoutineEvent>(routineKind, routineId, {
        backwards: true,
        limit: readPage,
        ...(from !== undefined && { from }),
      });
      for (const event of events) {
        if (event.type === 'RoutineFired') continue;
        if (items.length === limit)
          return { items, has_more: true, next_cursor: this.seal.seal(String(event.revision), scope) };
        const actor = await this.principals.findFor(who, event.meta.principal_id ?? '');
        items.push(changeWire(event, actor?.principal.name ?? null));
      }
      const last = events.at(-1)?.revision ?? 0;
      if (events.length < readPage || last === 0) return { items, has_more: false };
      from = last - 1;
    }
    return { items, has_more: true, next_cursor: this.seal.seal(String(from), scope) };
  }
}
