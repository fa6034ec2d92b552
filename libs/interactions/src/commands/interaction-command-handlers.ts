import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock, Refusal, notFound, rfc3339, type GatewayCommand, type JsonObject } from '@aos/kernel';
import { CommandHandlers, Decisions, actOf } from '@aos/platform';
import { redrive } from '../callbacks/callbacks.decide.js';
import type { AnswerSet } from '../forms/answers.decide.js';
import { interactionKind } from '../interaction/interaction.state.js';
import type { AskedInteraction } from '../opening/opening.decide.js';
import { InteractionCommands } from './interaction-commands.js';

/** What other contexts send through the gateway. Payloads: `{body, turn_id, tool_call_id}`, `{interaction_id, body}`, `{interaction_id, reason}`, `{interaction_id}`. */
export const interactionCommandNames = {
  open: 'interactions.open',
  respond: 'interactions.respond',
  cancel: 'interactions.cancel',
  redriveCallback: 'interactions.redrive_callback',
} as const;

/** Takes commands of other contexts; each answers with the interaction's record. */
@Injectable()
export class InteractionCommandHandlers implements OnModuleInit {
  constructor(
    private readonly handlers: CommandHandlers,
    private readonly commands: InteractionCommands,
    private readonly decisions: Decisions,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    const names = interactionCommandNames;
    this.handlers.register(names.open, ({ identity, payload, deliveryId }) => {
      const { body, turn_id: turnId, tool_call_id: toolCallId } = payload;
      return this.commands.open(
        identity,
        body as unknown as AskedInteraction,
        { turnId: String(turnId), toolCallId: String(toolCallId) },
        deliveryId,
      );
    });
    this.handlers.register(names.respond, ({ identity, payload, deliveryId }) =>
      this.commands.respond(identity, String(payload.interaction_id), payload.body as unknown as AnswerSet, deliveryId),
    );
    this.handlers.register(names.cancel, ({ identity, payload, deliveryId }) =>
      this.commands.cancel(
        identity,
        String(payload.interaction_id),
        typeof payload.reason === 'string' ? payload.reason : null,
        deliveryId,
      ),
    );
    this.handlers.register(names.redriveCallback, (command) => this.redriveCallback(command));
  }

  /** For the operator only, who acts as the organization itself (rule I35). */
  private async redriveCallback({ identity, payload }: GatewayCommand): Promise<JsonObject> {
    if (identity.kind !== 'system') throw new Refusal('forbidden');
    const interactionId = String(payload.interaction_id);
    const command = { by: identity.principalId, now: rfc3339(this.clock.now()) };
    const { state } = await this.decisions.run(interactionKind, interactionId, actOf(identity), (past) => {
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
