import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ReadStore, type Condition, type Identity, type JsonObject } from '@aos/kernel';
import { CursorSeal, PAGE_LIMIT_DEFAULT, Projectors, collectionOf, listScope, placeFrom, placeText, positionOf, visiblePage } from '@aos/platform';
import type { InteractionKind, InteractionStatus } from '../interaction/interaction.events.js';
import { interactionWire } from '../interaction/interaction.projection.js';
import { InteractionDirectory } from './interaction-directory.js';
import { interactionsProjection, type ListedInteraction } from './interactions.projection.js';

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
  constructor(readonly who: Identity, readonly interactionId: string) {
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
  constructor(readonly who: Identity, readonly filter: InteractionFilter) {
    super();
  }
}

/** Newest first, within the caller's reach (decisions G5, I28, I29). */
@QueryHandler(ListInteractions)
export class ListInteractionsHandler implements IQueryHandler<ListInteractions> {
  constructor(
    private readonly readStore: ReadStore, private readonly directory: InteractionDirectory, private readonly projectors: Projectors, private readonly seal: CursorSeal,
  ) {}

  async execute({ who, filter }: ListInteractions): Promise<JsonObject> {
    const { status, kind, session_id: sessionId, target_user_id: targetId, inbox, limit = PAGE_LIMIT_DEFAULT } = filter;
    const collection = collectionOf(interactionsProjection);
    this.projectors.requireCaughtUp(collection);
    const where: Condition[] = [
      ...(status === undefined ? [] : [{ index: 'status', eq: status }]),
      ...(kind === undefined ? [] : [{ index: 'kind', eq: kind }]),
      ...(sessionId === undefined ? [] : [{ index: 'session', eq: sessionId }]),
      ...(targetId === undefined ? [] : [{ index: 'targets', has: targetId }]),
      ...(inbox === true ? [{ index: 'targets', has: who.principalId }] : []),
    ];
    const scope = listScope(who.orgId, 'interactions', { status, kind, session_id: sessionId, target_user_id: targetId, inbox: inbox === true ? who.principalId : undefined });
    const position = positionOf(this.seal, scope, filter.cursor);
    const sessions = new Map<string, Promise<boolean>>();
    const { items, next } = await visiblePage(
      this.readStore,
      { collection, scope: [who.orgId], where, orderBy: { index: 'created', direction: 'desc' } },
      { limit, after: position === null ? null : placeFrom(position), large: true },
      async ({ key, doc }) => ((await this.mayRead(who, doc as unknown as ListedInteraction, sessions)) ? this.fresh(who, key, status) : null),
    );
    return { items, has_more: next !== null, ...(next && { next_cursor: this.seal.seal(placeText(next), scope) }) };
  }

  /** One look at each session for a whole page. */
  private async mayRead(who: Identity, { people, session_id: sessionId }: ListedInteraction, sessions: Map<string, Promise<boolean>>): Promise<boolean> {
    if (await this.directory.mayRead(who, people, null)) return true;
    if (sessionId === null) return false;
    const known = sessions.get(sessionId) ?? this.directory.mayReadSession(who, sessionId);
    sessions.set(sessionId, known);
    return known;
  }

  private async fresh(who: Identity, interactionId: string, status: InteractionStatus | undefined): Promise<JsonObject | null> {
    const state = await this.directory.find(who.orgId, interactionId);
    return state && (status === undefined || state.status === status) ? interactionWire(state, who) : null;
  }
}
