import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Schema } from '@aos/contract';
import { RulesPipe } from '@aos/platform';
import { AskInTurn, OpenInteraction } from './opening.commands.js';
import { CreateInteractionDto } from './opening.dto.js';
import { InteractionOpener } from './interaction-opener.js';

@CommandHandler(OpenInteraction)
export class OpenInteractionHandler implements ICommandHandler<OpenInteraction> {
  constructor(private readonly opener: InteractionOpener) {}

  execute({ who, input: { body }, deliveryId }: OpenInteraction): Promise<Schema<'Interaction'>> {
    return this.opener.open(who, body, { deliveryId, ownTurn: false });
  }
}

/** Refuses as the HTTP operation does. The body has the contract's shape. */
@CommandHandler(AskInTurn)
export class AskInTurnHandler implements ICommandHandler<AskInTurn> {
  private readonly rules = new RulesPipe(CreateInteractionDto);

  constructor(private readonly opener: InteractionOpener) {}

  async execute({ who, input, deliveryId }: AskInTurn): Promise<Schema<'Interaction'>> {
    const agent_tool = { invocation_id: input.turn_id, tool_call_id: input.tool_call_id };
    const asked = this.rules.transform({ ...input.body, consumer: { kind: 'agent_tool', agent_tool } });
    return this.opener.open(who, asked, { deliveryId, ownTurn: true });
  }
}
