import { Injectable } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Schema } from '@aos/contract';
import { Clock, Ids, hash32, notFound, rfc3339, type DeciderEntry, type Identity } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { InteractionExpiry } from '../expiry/interaction-expiry.js';
import type { Closing } from '../callbacks/callbacks.decide.js';
import { interactionDecider } from '../interaction.decider.js';
import type { InteractionEvent } from '../interaction/interaction.events.js';
import type { InteractionState } from '../interaction/interaction.state.js';
import { interactionWire } from '../interaction/interaction.wire.js';
import { InteractionDirectory } from '../reading/interaction-directory.js';
import {
  CancelInteraction,
  CancelOwnInteraction,
  HideInteraction,
  RespondToInteraction,
  ReviewInteraction,
} from './answering.commands.js';
import type { Participant } from './answering.decide.js';

/** Part of each command that may end an interaction. */
type Closed = Closing & { by: Participant };

/** Changes that may end an interaction, for callers that may see it; each gives the record as it is then. */
@Injectable()
export class InteractionChanges {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: InteractionDirectory,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /** Takes a command without who decides, when, and the id of the callback should one be owed. */
  async decide<C>(
    entry: DeciderEntry<InteractionState, InteractionEvent, NoInfer<C> & Closed>,
    interactionId: string,
    who: Identity,
    command: C,
  ): Promise<Schema<'Interaction'>> {
    const closed = { by: participantOf(who), now: rfc3339(this.clock.now()), callbackId: `dlv_${this.ids.ulid()}` };
    const { state } = await this.decisions.decide(entry, interactionId, actorOf(who), { ...command, ...closed });
    return interactionWire(await this.directory.whole(state), who);
  }
}

function participantOf({ principalId, kind, permissions }: Identity): Participant {
  return { principalId, kind, isAdmin: permissions.has('svc.org.admin') };
}

@CommandHandler(RespondToInteraction)
export class RespondToInteractionHandler implements ICommandHandler<RespondToInteraction> {
  constructor(
    private readonly expiry: InteractionExpiry,
    private readonly changes: InteractionChanges,
    private readonly ids: Ids,
  ) {}

  async execute({ who, input, deliveryId }: RespondToInteraction): Promise<Schema<'Interaction'>> {
    const { interaction_id: id, body: set } = input;
    const {
      opening: { questions },
    } = await this.expiry.current(who, id);
    const responseId = deliveryId === null ? `iresp_${this.ids.ulid()}` : `iresp_${hash32(`${id}\n${deliveryId}`)}`;
    return this.changes.decide(interactionDecider.respond, id, who, { responseId, questions, set, deliveryId });
  }
}

@CommandHandler(ReviewInteraction)
export class ReviewInteractionHandler implements ICommandHandler<ReviewInteraction> {
  constructor(
    private readonly expiry: InteractionExpiry,
    private readonly changes: InteractionChanges,
  ) {}

  async execute({ who, input: { interaction_id: id, body } }: ReviewInteraction): Promise<Schema<'Interaction'>> {
    const { action, comment = null } = body;
    await this.expiry.current(who, id);
    return this.changes.decide(interactionDecider.review, id, who, { action, comment });
  }
}

@CommandHandler(CancelInteraction)
export class CancelInteractionHandler implements ICommandHandler<CancelInteraction> {
  constructor(
    private readonly expiry: InteractionExpiry,
    private readonly changes: InteractionChanges,
  ) {}

  async execute({ who, input, deliveryId }: CancelInteraction): Promise<Schema<'Interaction'>> {
    const { interaction_id: id, reason = null } = input;
    await this.expiry.current(who, id);
    return this.changes.decide(interactionDecider.cancel, id, who, { reason, deliveryId });
  }
}

@CommandHandler(CancelOwnInteraction)
export class CancelOwnInteractionHandler implements ICommandHandler<CancelOwnInteraction> {
  constructor(
    private readonly directory: InteractionDirectory,
    private readonly expiry: InteractionExpiry,
    private readonly changes: InteractionChanges,
  ) {}

  async execute({ who, input, deliveryId }: CancelOwnInteraction): Promise<Schema<'Interaction'>> {
    const { interaction_id: id, reason = null } = input;
    const { opening } = await this.directory.visible(who, id);
    if (opening.created_by !== who.principalId) throw notFound('interaction');
    await this.expiry.current(who, id);
    return this.changes.decide(interactionDecider.cancel, id, who, { reason, deliveryId });
  }
}

@CommandHandler(HideInteraction)
export class HideInteractionHandler implements ICommandHandler<HideInteraction> {
  constructor(
    private readonly decisions: Decisions,
    private readonly expiry: InteractionExpiry,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { interaction_id: id } }: HideInteraction): Promise<void> {
    await this.expiry.current(who, id);
    const command = { by: participantOf(who), now: rfc3339(this.clock.now()) };
    await this.decisions.decide(interactionDecider.hide, id, actorOf(who), command);
  }
}
