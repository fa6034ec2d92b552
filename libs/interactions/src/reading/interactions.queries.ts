import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply, Schema } from '@aos/contract';
import { ReadStore, notFound, viewersOf, type Condition, type Identity } from '@aos/kernel';
import { CursorSeal, Projectors, listScope, visibleList } from '@aos/platform';
import type { InteractionStatus } from '../interaction/interaction.events.js';
import { interactionWire } from '../interaction/interaction.wire.js';
import { InteractionDirectory, type Looked } from './interaction-directory.js';
import { interactionRows, type ListedInteraction } from '../interaction/interaction.projection.js';

const waitingMax = 1_000;

export type InteractionFilter = QueryOf<'listInteractions'>;

/** Interactions within the caller's reach, one by id or in lists. */
@Injectable()
export class InteractionQueries {
  constructor(
    private readonly readStore: ReadStore,
    private readonly directory: InteractionDirectory,
    private readonly projectors: Projectors,
    private readonly seal: CursorSeal,
  ) {}

  /** Refuses not_found for what the caller may not see. */
  async get(who: Identity, interactionId: string): Promise<Reply<'getInteraction'>> {
    return interactionWire(await this.directory.visible(who, interactionId), who);
  }

  /** Newest first (rules G5, I28, I29). Refuses not_found for a session that a browser token does not reach. */
  async list(who: Identity, filter: InteractionFilter): Promise<Reply<'listInteractions'>> {
    const { status, kind, session_id: sessionId, target_user_id: targetId, inbox } = filter;
    if (who.token && !(await this.directory.mayReadSession(who, sessionId ?? null))) throw notFound('session');
    this.projectors.requireCaughtUp(interactionRows.name);
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
    const looked: Looked = { sessions: new Map(), agents: new Map() };
    return visibleList(
      this.readStore,
      { collection: interactionRows, scope: [who.orgId], where, orderBy: { index: 'created', direction: 'desc' } },
      { ...filter, seal: this.seal, scope, large: true },
      ({ key, doc }) => this.listed(who, key, doc, status, looked),
    );
  }

  /** How many pending interactions target the caller, counted up to 1,000. */
  async waitingFor(who: Identity): Promise<number> {
    this.projectors.requireCaughtUp(interactionRows.name);
    const where: Condition[] = [
      { index: 'status', eq: 'pending' },
      { index: 'targets', has: who.principalId },
    ];
    return this.readStore.count({ collection: interactionRows.name, scope: [who.orgId], where }, waitingMax);
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
  ): Promise<Schema<'Interaction'> | null> {
    for (const viewer of viewersOf(who)) {
      const mayBe = row.people.includes(viewer.principalId) || viewer.permissions.has('svc.org.admin');
      if (!mayBe && !(await this.directory.mayReadSession(viewer, row.session_id, looked))) return null;
    }
    const state = await this.directory.find(who.orgId, id);
    if (!state || (status !== undefined && state.status !== status)) return null;
    return (await this.directory.mayRead(who, state.opening, looked)) ? interactionWire(state, who) : null;
  }
}
