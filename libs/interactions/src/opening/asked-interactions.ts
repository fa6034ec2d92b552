import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Identity, JsonObject } from '@aos/kernel';
import { CommandHandlers, RulesPipe } from '@aos/platform';
import { interactionCommandNames } from '../interaction/command-names.js';
import { InteractionOpenings } from './interaction-openings.js';
import type { AskedInteraction } from './opening.decide.js';
import { CreateInteractionDto } from './opening.dto.js';

/**
 * Opens what an agent asks in a tool call, as its own principal.
 *
 * Promises: a repeated delivery id changes nothing and answers with the record as it is. Refuses as the HTTP operation
 *           does.
 */
@Injectable()
export class AskedInteractions implements OnModuleInit {
  private readonly rules = new RulesPipe(CreateInteractionDto);

  constructor(
    private readonly handlers: CommandHandlers,
    private readonly openings: InteractionOpenings,
  ) {}

  onModuleInit(): void {
    this.handlers.register(interactionCommandNames.open, ({ identity, payload, deliveryId }) =>
      this.open(
        identity,
        payload.body as unknown as AskedInteraction,
        { turnId: String(payload.turn_id), toolCallId: String(payload.tool_call_id) },
        deliveryId,
      ),
    );
  }

  /**
   * The asking call is the consumer (rule I36); any consumer of the body is left out. The body has the contract's
   * shape.
   */
  private async open(
    who: Identity,
    body: AskedInteraction,
    { turnId, toolCallId }: { turnId: string; toolCallId: string },
    deliveryId: string,
  ): Promise<JsonObject> {
    const consumer = { kind: 'agent_tool' as const, agent_tool: { invocation_id: turnId, tool_call_id: toolCallId } };
    return this.openings.open(who, this.rules.transform({ ...body, consumer }), { deliveryId, ownTurn: true });
  }
}
