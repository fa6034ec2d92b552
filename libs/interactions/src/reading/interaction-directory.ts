import { Injectable } from '@nestjs/common';
import { Clock, Refusal, looksLikeId, notFound, type Identity } from '@aos/kernel';
import { Decisions, Payloads } from '@aos/platform';
import { SessionDirectory } from '@aos/sessions/published';
import type { Opening } from '../interaction/interaction.events.js';
import { peopleOf, sessionOf } from '../interaction/interaction.projection.js';
import { interactionKind, type InteractionState } from '../interaction/interaction.state.js';

/** A state whose large values are in place, with its opening. */
export type WholeInteraction = InteractionState & { opening: Opening };

/** Interactions by id, fresh, within a caller's reach. */
@Injectable()
export class InteractionDirectory {
  constructor(
    private readonly decisions: Decisions, private readonly payloads: Payloads, private readonly sessions: SessionDirectory, private readonly clock: Clock,
  ) {}

  /** The interaction with large values put back, whoever asks; null for one of another organization, a hidden or an unknown one. */
  async find(orgId: string, interactionId: string): Promise<WholeInteraction | null> {
    if (!looksLikeId('iact', interactionId)) return null;
    const { state, revision } = await this.decisions.load(interactionKind, interactionId);
    if (revision < 0) this.decisions.forget(interactionKind, interactionId);
    if (state.opening?.org_id !== orgId || state.hidden) return null;
    return this.whole(state);
  }

  /** Refuses not_found for what the caller may not see, exactly as for an unknown id (decisions G13, I29). */
  async visible(who: Identity, interactionId: string): Promise<WholeInteraction> {
    const state = await this.find(who.orgId, interactionId);
    if (!state || !(await this.mayRead(who, peopleOf(state.opening), sessionOf(state.opening)))) throw notFound('interaction');
    return state;
  }

  /** Decision I29: those named, administrators, and readers of the asking session. */
  async mayRead(who: Identity, people: readonly string[], sessionId: string | null): Promise<boolean> {
    if (people.includes(who.principalId) || who.permissions.has('svc.org.admin')) return true;
    return sessionId !== null && this.mayReadSession(who, sessionId);
  }

  async mayReadSession(who: Identity, sessionId: string): Promise<boolean> {
    try {
      await this.sessions.visible(who, sessionId, this.clock.now());
      return true;
    } catch (error) {
      if (error instanceof Refusal && error.code === 'not_found') return false;
      throw error;
    }
  }

  /** States are never changed in place, so this one stays as it was while its values are fetched. */
  async whole(state: InteractionState): Promise<WholeInteraction> {
    const { opening } = state;
    if (!opening) throw new Error('the interaction was never opened');
    return await this.payloads.hydrate(opening.org_id, state) as WholeInteraction;
  }
}
