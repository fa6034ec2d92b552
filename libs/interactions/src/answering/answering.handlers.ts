import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Schema } from '@aos/contract';
import { Clock, Ids, hash32, notFound, rfc3339 } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { InteractionExpiry } from '../expiry/interaction-expiry.js';
import { interactionDecider } from '../interaction.decider.js';
import { InteractionDirectory } from '../reading/interaction-directory.js';
import {
  CancelInteraction,
  CancelOwnInteraction,
  HideInteraction,
  RespondToInteraction,
  ReviewInteraction,
} from './answering.commands.js';
import { InteractionChanges, participantOf } from './interaction-changes.js';

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
