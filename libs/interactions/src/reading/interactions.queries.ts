import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ReadStore, viewersOf, type Condition, type Identity, type JsonObject, collectionOf } from '@aos/kernel';
import {
  CursorSeal,
  pageLimitDefault,
  Projectors,
  listScope,
  cursorFromText,
  cursorToText,
  positionOf,
  visiblePage,
} from '@aos/platform';
import type { InteractionKind, InteractionStatus } from '../interaction/interaction.events.js';
import { interactionWire } from '../interaction/interaction.wire.js';
import { InteractionDirectory, type Looked } from './interaction-directory.js';
import { interactionsProjection, type ListedInteraction } from '../interaction/interaction.projection.js';

export interface InteractionFilter {
  status?: InteractionStatus;
  kind?: InteractionKind;
  session_id?: string;
  target_user_id?: string;
  inbox?: boolean;
  limit?: number;
  cursor?: string;
}

export class GetInteraction extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly interactionId: string,
  ) {
    super();
  }
}

@QueryHandler(GetInteraction)
export class GetInteractionHandler implements IQueryHandler<GetInteraction> {
  constructor(private readonly directory: InteractionDirectory) {}

  async execute({ who, interactionId }: GetInteraction): Promise<JsonObject> {
    return interactionWire(await this.directory.visible(who, interactionId), who);
  }
}

export class ListInteractions extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly filter: InteractionFilter,
  ) {
    super();
  }
}

/** Newest first, within the caller's reach (rules G5, I28, I29). */
@QueryHandler(ListInteractions)
export class ListInteractionsHandler implements IQueryHandler<ListInteractions> {
  constructor(
    private readonly readStore: ReadStore,
    private readonly directory: InteractionDirectory,
    private readonly projectors: Projectors,
    private readonly seal: CursorSeal,
  ) {}

  async execute({ who, filter }: ListInteractions): Promise<JsonObject> {
    const { status, kind, session_id: sessionId, target_user_id: targetId, inbox, limit = pageLimitDefault } = filter;
    const collection = collectionOf(interactionsProjection);
    this.projectors.requireCaughtUp(collection);
    const where: Condition[] = [
      ...(status === undefined ? [] : [{ index: 'status', eq: status }]),
      ...(kind === undefined ? [] : [{ index: 'kind', eq: kind }]),
      ...(sessionId === undefined ? [] : [{ index: 'session', eq: sessionId }]),
      ...(targetId === undefined ? [] : [{ index: 'targets', has: targetId }]),
      ...(inbox === true ? [{ index: 'targets', has: who.principalId }] : []),
    ];
    const scope = listScope(who.orgId, 'interactions', {
      status,
      kind,
      session_id: sessionId,
      target_user_id: targetId,
      inbox: inbox === true ? who.principalId : undefined,
    });
    const position = positionOf(this.seal, scope, filter.cursor);
    const looked: Looked = { sessions: new Map(), agents: new Map() };
    const { items, next } = await visiblePage(
      this.readStore,
      { collection, scope: [who.orgId], where, orderBy: { index: 'created', direction: 'desc' } },
      { limit, after: position === null ? null : cursorFromText(position), large: true },
      ({ key, doc }) => this.listed(who, key, doc as unknown as ListedInteraction, status, looked),
    );
    return { items, has_more: next !== null, ...(next && { next_cursor: this.seal.seal(cursorToText(next), scope) }) };
  }

  /**
   * The list item of a row, or null. The record is read only when the row shows that the caller may be allowed to see
   * it.
   */
  private async listed(
    who: Identity,
    id: string,
    row: ListedInteraction,
    status: InteractionStatus | undefined,
    looked: Looked,
  ): Promise<JsonObject | null> {
    for (const viewer of viewersOf(who)) {
      const mayBe = row.people.includes(viewer.principalId) || viewer.permissions.has('svc.org.admin');
      if (!mayBe && !(await this.directory.mayReadSession(viewer, row.session_id, looked))) return null;
    }
    const state = await this.directory.find(who.orgId, id);
    if (!state || (status !== undefined && state.status !== status)) return null;
    return (await this.directory.mayRead(who, state.opening, looked)) ? interactionWire(state, who) : null;
  }
}
