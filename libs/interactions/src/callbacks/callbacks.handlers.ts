import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, EventStore, rfc3339 } from '@aos/kernel';
import {
  Decisions,
  ResealInteractionSecrets,
  SealBroken,
  Sealer,
  actorOf,
  resealStreams,
  serviceActor,
  type ResealAnswer,
  type Resealed,
} from '@aos/platform';
import { interactionDecider } from '../interaction.decider.js';
import { interactionKind } from '../interaction/interaction.state.js';
import { secretSeal } from './callback-signing.js';
import { RedriveCallback } from './callbacks.commands.js';
import { sealOf } from './callbacks.decide.js';

@CommandHandler(RedriveCallback)
export class RedriveCallbackHandler implements ICommandHandler<RedriveCallback> {
  constructor(
    private readonly decisions: Decisions,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { interaction_id: id } }: RedriveCallback) {
    const command = { orgId: who.orgId, by: who.principalId, now: rfc3339(this.clock.now()) };
    const {
      state: { callback },
    } = await this.decisions.decide(interactionDecider.redrive, id, actorOf(who), command);
    return { interaction_id: id, delivery_id: callback?.delivery_id ?? null, status: callback?.status ?? null };
  }
}

/** Seals the secrets of callbacks that may still be sent anew. */
@CommandHandler(ResealInteractionSecrets)
export class ResealInteractionSecretsHandler implements ICommandHandler<ResealInteractionSecrets> {
  constructor(
    private readonly decisions: Decisions,
    private readonly sealer: Sealer,
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  execute({ input: { after } }: ResealInteractionSecrets): Promise<ResealAnswer> {
    const { store, clock } = this;
    return resealStreams({ store, clock }, interactionKind.category, after ?? null, (id) => this.reseal(id));
  }

  private async reseal(id: string): Promise<Resealed> {
    const { state } = await this.decisions.load(interactionKind, id);
    const [orgId, before] = [state.opening?.org_id, sealOf(state)];
    if (orgId === undefined || before === null || !this.sealer.isStale(before)) return 'fresh';
    let sealed: string;
    try {
      sealed = this.sealer.renewed(before, secretSeal(orgId, id));
    } catch (error) {
      if (error instanceof SealBroken) return 'unreadable';
      throw error;
    }
    const command = { before, sealed, now: rfc3339(this.clock.now()) };
    const actor = serviceActor(orgId, 'operator', `reseal-${id}`);
    const { events } = await this.decisions.decide(interactionDecider.replaceSeal, id, actor, command);
    return events.length > 0 ? 'resealed' : 'fresh';
  }
}
