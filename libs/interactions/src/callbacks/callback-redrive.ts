import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock, Refusal, notFound, rfc3339, type GatewayCommand, type JsonObject } from '@aos/kernel';
import { CommandHandlers, Decisions, actorOf } from '@aos/platform';
import { interactionCommandNames } from '../interaction/command-names.js';
import { interactionKind } from '../interaction/interaction.state.js';
import { redrive } from './callbacks.decide.js';

/** Takes the operator's command to send an abandoned callback again. */
@Injectable()
export class CallbackRedrive implements OnModuleInit {
  constructor(
    private readonly handlers: CommandHandlers,
    private readonly decisions: Decisions,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.handlers.register(interactionCommandNames.redriveCallback, (command) => this.redrive(command));
  }

  /** For the operator only, who acts as the organization itself (rule I35). */
  private async redrive({ identity, payload }: GatewayCommand): Promise<JsonObject> {
    if (identity.kind !== 'system') throw new Refusal('forbidden');
    const interactionId = String(payload.interaction_id);
    const command = { by: identity.principalId, now: rfc3339(this.clock.now()) };
    const { state } = await this.decisions.run(interactionKind, interactionId, actorOf(identity), (past) => {
      if (past.opening?.org_id !== identity.orgId) throw notFound('interaction');
      return redrive(command, past);
    });
    return {
      interaction_id: interactionId,
      delivery_id: state.callback?.delivery_id ?? null,
      status: state.callback?.status ?? null,
    };
  }
}
