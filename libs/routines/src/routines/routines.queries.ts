import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ReadStore, invalidArgument, type Condition, type Identity, type JsonObject, collectionOf } from '@aos/kernel';
import {
  CursorSeal,
  Decisions,
  pageLimitDefault,
  Projectors,
  listScope,
  cursorFromText,
  cursorToText,
  positionOf,
  visiblePage,
  type PageQuery,
} from '@aos/platform';
import { PrincipalReader } from '@aos/access/published';
import type { RoutineEvent } from '../routine/routine.events.js';
import { RoutineDirectory } from '../routine/routine-directory.js';
import { routinesProjection } from '../routine/routine.projection.js';
import { routineKind } from '../routine/routine.state.js';
import { changeWire } from './changes.wire.js';

export interface RoutineFilter extends PageQuery {
  owner_id?: string;
  agent_id?: string;
  origin_session_id?: string;
}

export class GetRoutine extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly routineId: string,
  ) {
    super();
  }
}

@QueryHandler(GetRoutine)
export class GetRoutineHandler implements IQueryHandler<GetRoutine> {
  constructor(private readonly directory: RoutineDirectory) {}

  async execute({ who, routineId }: GetRoutine): Promise<JsonObject> {
    return this.directory.view(who, await this.directory.visible(who, routineId));
  }
}

export class ListRoutines extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly filter: RoutineFilter,
  ) {
    super();
  }
}

/** Oldest first, cancelled ones too, within the caller's reach. */
@QueryHandler(ListRoutines)
export class ListRoutinesHandler implements IQueryHandler<ListRoutines> {
  constructor(
    private readonly readStore: ReadStore,
    private readonly directory: RoutineDirectory,
    private readonly projectors: Projectors,
    private readonly seal: CursorSeal,
  ) {}

  async execute({ who, filter }: ListRoutines): Promise<JsonObject> {
    const { owner_id: owner, agent_id: agent, origin_session_id: session, limit = pageLimitDefault } = filter;
    const collection = collectionOf(routinesProjection);
    this.projectors.requireCaughtUp(collection);
    const where: Condition[] = [
      ...(owner === undefined ? [] : [{ index: 'owner', eq: owner }]),
      ...(agent === undefined ? [] : [{ index: 'agent', eq: agent }]),
      ...(session === undefined ? [] : [{ index: 'session', eq: session }]),
    ];
    const scope = listScope(who.orgId, 'routines', { ...filter });
    const position = positionOf(this.seal, scope, filter.cursor);
    const { items, next } = await visiblePage(
      this.readStore,
      { collection, scope: [who.orgId], where, orderBy: { index: 'created', direction: 'asc' } },
      { limit, after: position === null ? null : cursorFromText(position) },
      async ({ key }) => {
        const routine = await this.directory.find(who.orgId, key);
        return routine && (await this.directory.sees(who, routine)) ? this.directory.view(who, routine) : null;
      },
    );
    return { items, has_more: next !== null, ...(next && { next_cursor: this.seal.seal(cursorToText(next), scope) }) };
  }
}

export class ListRoutineChanges extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly routineId: string,
    readonly page: PageQuery,
  ) {
    super();
  }
}

const readPage = 200;
/** Events looked at for one page: a routine that fires often has few changes between many firings. */
const readsMax = 25;

/** Newest first, from the routine's own stream; its firings are in its occurrences. */
@QueryHandler(ListRoutineChanges)
export class ListRoutineChangesHandler implements IQueryHandler<ListRoutineChanges> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: RoutineDirectory,
    private readonly principals: PrincipalReader,
    private readonly seal: CursorSeal,
  ) {}

  async execute({ who, routineId, page }: ListRoutineChanges): Promise<JsonObject> {
    await this.directory.visible(who, routineId);
    const { limit = pageLimitDefault } = page;
    const scope = listScope(who.orgId, 'routine_changes', { routine_id: routineId });
    const position = positionOf(this.seal, scope, page.cursor);
    let from = position === null ? undefined : Number(position);
    if (from !== undefined && !Number.isSafeInteger(from)) throw invalidArgument('cursor', 'is none');
    const items: JsonObject[] = [];
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
