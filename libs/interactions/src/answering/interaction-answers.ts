import { Injectable } from '@nestjs/common';
import { Clock, Ids, hash32, rfc3339, type Identity, type JsonObject } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import type { AnswerSet } from '../forms/answers.decide.js';
import type { InteractionEvent } from '../interaction/interaction.events.js';
import { interactionWire } from '../interaction/interaction.wire.js';
import { interactionKind, type InteractionState } from '../interaction/interaction.state.js';
import { InteractionExpiry } from '../expiry/interaction-expiry.js';
import { InteractionDirectory } from '../reading/interaction-directory.js';
import { cancel, hide, respond, review, type Participant } from './answering.decide.js';

/** Changes interactions for callers that may see them; each gives the record as it is then. */
@Injectable()
export class InteractionAnswers {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: InteractionDirectory,
    private readonly expiry: InteractionExpiry,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async respond(
    who: Identity,
    interactionId: string,
    set: AnswerSet,
    deliveryId: string | null = null,
  ): Promise<JsonObject> {
    const { opening } = await this.expiry.current(who, interactionId);
    const responseId =
      deliveryId === null ? `iresp_${this.ids.ulid()}` : `iresp_${hash32(`${interactionId}\n${deliveryId}`)}`;
    const command = { ...this.closing(who), responseId, questions: opening.questions, set, deliveryId };
    return this.change(who, interactionId, (state, revision) => respond(command, state, revision));
  }

  async review(
    who: Identity,
    interactionId: string,
    action: 'accept' | 'request_changes',
    comment: string | null,
  ): Promise<JsonObject> {
    await this.expiry.current(who, interactionId);
    const command = { ...this.closing(who), action, comment };
    return this.change(who, interactionId, (state) => review(command, state));
  }

  async cancel(
    who: Identity,
    interactionId: string,
    reason: string | null,
    deliveryId: string | null = null,
  ): Promise<JsonObject> {
    await this.expiry.current(who, interactionId);
    const command = { ...this.closing(who), reason, deliveryId };
    return this.change(who, interactionId, (state) => cancel(command, state));
  }

  async hide(who: Identity, interactionId: string): Promise<void> {
    await this.expiry.current(who, interactionId);
    const command = { by: participantOf(who), now: rfc3339(this.clock.now()) };
    await this.decisions.run(interactionKind, interactionId, actorOf(who), (state) => hide(command, state));
  }

  private async change(
    who: Identity,
    interactionId: string,
    decide: (state: InteractionState, revision: number) => InteractionEvent[],
  ): Promise<JsonObject> {
    const { state } = await this.decisions.run(interactionKind, interactionId, actorOf(who), decide);
    return interactionWire(await this.directory.whole(state), who);
  }

  private closing(who: Identity) {
    return { by: participantOf(who), now: rfc3339(this.clock.now()), callbackId: `dlv_${this.ids.ulid()}` };
  }
}

function participantOf({ principalId, kind, permissions }: Identity): Participant {
  return { principalId, kind, isAdmin: permissions.has('svc.org.admin') };
}
