import { Injectable } from '@nestjs/common';
import type { QueryOf } from '@aos/contract';
import { ReadStore, isSoftware, type Condition, type Identity, type JsonObject, collectionOf } from '@aos/kernel';
import { CursorSeal, Decisions, Projectors, listScope, visibleList } from '@aos/platform';
import { ActionDirectory, AgentDirectory, canSee } from '@aos/definitions/published';
import { sessionKind, withinReach } from '@aos/sessions/published';
import { invocationsProjection, type ListedInvocation } from '../invocation/invocation.projection.js';

export type InvocationFilter = QueryOf<'listActionInvocations'>;

/** Filters by the index that answers them; nothing runs in environments. */
const indexOf: Readonly<Record<Exclude<keyof InvocationFilter, 'limit' | 'cursor'>, string>> = {
  job_id: 'job',
  environment_id: 'environment',
  action_name: 'action',
  action_id: 'action_id',
  definition_scope: 'definition_scope',
  secret_version: 'secret_version',
  delivery_id: 'delivery',
  correlation_id: 'correlation',
  status: 'status',
};

/** One look at each session and action for a whole page. */
interface Looked {
  sessions: Map<string, Promise<boolean>>;
  actions: Map<string, Promise<boolean>>;
}

/**
 * Records of executions that are over, newest first, within the caller's reach (rules G5, G13, A28): a tool call's with
 * its session; a direct one of a person's to that person and to administrators who can see the action, of software to
 * all who can.
 */
@Injectable()
export class InvocationQueries {
  constructor(
    private readonly readStore: ReadStore,
    private readonly projectors: Projectors,
    private readonly decisions: Decisions,
    private readonly agents: AgentDirectory,
    private readonly actions: ActionDirectory,
    private readonly seal: CursorSeal,
  ) {}

  async list(who: Identity, filter: InvocationFilter): Promise<JsonObject> {
    const collection = collectionOf(invocationsProjection);
    this.projectors.requireCaughtUp(collection);
    const where: Condition[] = Object.entries(filter).flatMap(([name, value]) =>
      value === undefined || !Object.hasOwn(indexOf, name)
        ? []
        : [{ index: indexOf[name as keyof typeof indexOf], eq: value }],
    );
    const scope = listScope(who.orgId, 'action-invocations', { ...filter });
    const looked: Looked = { sessions: new Map(), actions: new Map() };
    return visibleList(
      this.readStore,
      { collection, scope: [who.orgId], where, orderBy: { index: 'created', direction: 'desc' } },
      { ...filter, seal: this.seal, scope },
      async ({ doc }) => {
        const listed = doc as ListedInvocation;
        return (await this.mayRead(who, listed, looked)) ? this.decisions.whole(who.orgId, listed.entry) : null;
      },
    );
  }

  private async mayRead(
    who: Identity,
    { actor_id: actorId, actor_kind: actorKind, action_id: actionId, session_id: sessionId }: ListedInvocation,
    looked: Looked,
  ): Promise<boolean> {
    if (sessionId !== null) return once(looked.sessions, sessionId, () => this.mayReadSession(who, sessionId));
    if (actorId === who.principalId) return true;
    if (!isSoftware(actorKind) && !who.permissions.has('svc.org.admin')) return false;
    return actionId === null || once(looked.actions, actionId, () => this.maySeeAction(who, actionId));
  }

  private async mayReadSession(who: Identity, sessionId: string): Promise<boolean> {
    const { state } = await this.decisions.load(sessionKind, sessionId);
    if (!withinReach(state, who)) return false;
    const agentId = state.opening?.agent_id ?? '';
    const agent = await this.agents.agent(who.orgId, agentId);
    return !agent || this.agents.canSee(agent, who);
  }

  private async maySeeAction(who: Identity, actionId: string): Promise<boolean> {
    const record = await this.actions.recordById(who.orgId, actionId);
    return record !== null && canSee(record, who);
  }
}

function once(known: Map<string, Promise<boolean>>, id: string, look: () => Promise<boolean>): Promise<boolean> {
  const found = known.get(id) ?? look();
  known.set(id, found);
  return found;
}
