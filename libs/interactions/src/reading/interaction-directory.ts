import { Injectable } from '@nestjs/common';
import { Clock, looksLikeId, notFound, viewersOf, type Identity, type Viewer } from '@aos/kernel';
import { Decisions, Payloads } from '@aos/platform';
import { AgentDirectory } from '@aos/definitions/published';
import { SessionDirectory } from '@aos/sessions/published';
import type { Opening } from '../interaction/interaction.events.js';
import { peopleOf, sessionOf } from '../interaction/interaction.wire.js';
import { interactionKind, type InteractionState } from '../interaction/interaction.state.js';

/** A state with its opening and with large values put back. */
export type WholeInteraction = InteractionState & { opening: Opening };

/** One look at each session and agent for the callers of one page. */
export interface Looked {
  sessions: Map<string, Promise<boolean>>;
  agents: Map<string, Promise<boolean>>;
}

/** Interactions by id, fresh, within a caller's reach. */
@Injectable()
export class InteractionDirectory {
  constructor(
    private readonly decisions: Decisions,
    private readonly payloads: Payloads,
    private readonly sessions: SessionDirectory,
    private readonly agents: AgentDirectory,
    private readonly clock: Clock,
  ) {}

  /**
   * The interaction with large values put back, for any caller; null for one of another organization, a hidden or an
   * unknown one.
   */
  async find(orgId: string, interactionId: string): Promise<WholeInteraction | null> {
    if (!looksLikeId('iact', interactionId)) return null;
    const { state, revision } = await this.decisions.load(interactionKind, interactionId);
    if (revision < 0) this.decisions.forget(interactionKind, interactionId);
    if (state.opening?.org_id !== orgId || state.hidden) return null;
    return this.whole(state);
  }

  /** Refuses not_found for what the caller may not see, exactly as for an unknown id (rules G13, I29). */
  async visible(who: Identity, interactionId: string): Promise<WholeInteraction> {
    const state = await this.find(who.orgId, interactionId);
    if (!state || !(await this.mayRead(who, state.opening))) throw notFound('interaction');
    return state;
  }

  /**
   * Whether an interaction is within reach. Of an agent in a turn both it and the turn's principal must see it, each
   * for its own reason (rule A33). A browser token must reach its session, also where the key's principal would see it
   * (rule A38).
   */
  async mayRead(who: Identity, opening: Opening, looked?: Looked): Promise<boolean> {
    if (who.token && !(await this.mayReadSession(who, sessionOf(opening), looked))) return false;
    for (const viewer of viewersOf(who)) if (!(await this.sees(viewer, opening, looked))) return false;
    return true;
  }

  /**
   * Rule I29: those named, readers of the asking session, and administrators who reach its agent (rule A30), whether or
   * not the session is still there.
   */
  private async sees(viewer: Viewer, opening: Opening, looked?: Looked): Promise<boolean> {
    if (peopleOf(opening).includes(viewer.principalId)) return true;
    const agentId = opening.agent_id;
    if (
      viewer.permissions.has('svc.org.admin') &&
      (await once(looked?.agents, viewer, agentId ?? '', () => this.reachesAgent(viewer, agentId)))
    )
      return true;
    return this.mayReadSession(viewer, sessionOf(opening), looked);
  }

  mayReadSession(viewer: Viewer, sessionId: string | null, looked?: Looked): Promise<boolean> {
    if (sessionId === null) return Promise.resolve(false);
    return once(looked?.sessions, viewer, sessionId, () =>
      this.sessions.isVisible(viewer, sessionId, this.clock.now()),
    );
  }

  /** Administration gives no reach of what a private agent of another person asked (rule A30). */
  private async reachesAgent(viewer: Viewer, agentId: string | null): Promise<boolean> {
    const agent = agentId === null ? null : await this.agents.agent(viewer.orgId, agentId);
    return agent === null || this.agents.canSee(agent, viewer);
  }

  /** States are never changed in place, so this one stays as it was while its values are fetched. */
  async whole(state: InteractionState): Promise<WholeInteraction> {
    const { opening } = state;
    if (!opening) throw new Error('the interaction was never opened');
    return (await this.payloads.hydrate(opening.org_id, state)) as WholeInteraction;
  }
}

function once(
  known: Map<string, Promise<boolean>> | undefined,
  { principalId }: Viewer,
  id: string,
  look: () => Promise<boolean>,
): Promise<boolean> {
  const name = `${principalId} ${id}`;
  const found = known?.get(name) ?? look();
  known?.set(name, found);
  return found;
}
