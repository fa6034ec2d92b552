import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock, EventStore, rfc3339 } from '@aos/kernel';
import {
  CommandHandlers,
  Decisions,
  SealBroken,
  Sealer,
  requireOperator,
  resealCommands,
  resealStreams,
  serviceActor,
  type Resealed,
} from '@aos/platform';
import { interactionKind } from '../interaction/interaction.state.js';
import { secretSeal } from './callback-signing.js';
import { replaceSeal, sealOf } from './callbacks.decide.js';

/** Seals the secrets of callbacks that may still be sent anew when an operator asks for it. */
@Injectable()
export class CallbackResealing implements OnModuleInit {
  constructor(
    private readonly decisions: Decisions,
    private readonly sealer: Sealer,
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly handlers: CommandHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register(resealCommands[1], ({ identity, payload }) => {
      requireOperator(identity);
      const { store, clock } = this;
      return resealStreams(
        { store, clock },
        interactionKind.category,
        typeof payload.after === 'string' ? payload.after : null,
        (id) => this.reseal(id),
      );
    });
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
    const { events } = await this.decisions.run(
      interactionKind,
      id,
      serviceActor(orgId, 'operator', `reseal-${id}`),
      (past) => replaceSeal(command, past),
    );
    return events.length > 0 ? 'resealed' : 'fresh';
  }
}
