import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { notFound, type Identity, type JsonObject } from '@aos/kernel';
import { RulesPipe } from '@aos/platform';
import type { AnswerSet } from '../forms/answers.decide.js';
import { InteractionAnswers } from '../answering/interaction-answers.js';
import { CreateInteractionDto } from '../opening/opening.dto.js';
import type { AskedInteraction } from '../opening/opening.decide.js';
import { InteractionOpenings } from '../opening/interaction-openings.js';
import { InteractionDirectory } from '../reading/interaction-directory.js';
import { interactionWire } from '../interaction/interaction.wire.js';
import { ListInteractions, type InteractionFilter } from '../reading/interactions.queries.js';

/** The tool call that asks: the outcome returns to its session. */
export interface AskingCall {
  turnId: string;
  toolCallId: string;
}

/**
 * What an agent does with interactions in a tool call (`svc.interaction.*`), as its own principal.
 *
 * Promises: a repeated delivery id changes nothing and answers with the record as it is. Refuses as the HTTP operations do.
 */
@Injectable()
export class InteractionCommands {
  private readonly rules = new RulesPipe(CreateInteractionDto);

  constructor(
    private readonly openings: InteractionOpenings,
    private readonly answers: InteractionAnswers,
    private readonly directory: InteractionDirectory,
    private readonly queries: QueryBus,
  ) {}

  /** Opens one whose consumer is the asking call (rule I36); any consumer of the body is left out. The body has the contract's shape. */
  async open(
    who: Identity,
    body: Omit<AskedInteraction, 'consumer'>,
    { turnId, toolCallId }: AskingCall,
    deliveryId: string,
  ): Promise<JsonObject> {
    const consumer = { kind: 'agent_tool' as const, agent_tool: { invocation_id: turnId, tool_call_id: toolCallId } };
    return this.openings.open(who, this.rules.transform({ ...body, consumer }), { deliveryId, ownTurn: true });
  }

  async respond(who: Identity, interactionId: string, set: AnswerSet, deliveryId: string): Promise<JsonObject> {
    return this.answers.respond(who, interactionId, set, deliveryId);
  }

  /** Only what the agent itself asked (rule I24); anything else is not there. */
  async cancel(who: Identity, interactionId: string, reason: string | null, deliveryId: string): Promise<JsonObject> {
    const { opening } = await this.directory.visible(who, interactionId);
    if (opening.created_by !== who.principalId) throw notFound('interaction');
    return this.answers.cancel(who, interactionId, reason, deliveryId);
  }

  async get(who: Identity, interactionId: string): Promise<JsonObject> {
    return interactionWire(await this.directory.visible(who, interactionId), who);
  }

  async list(who: Identity, filter: InteractionFilter): Promise<JsonObject> {
    return this.queries.execute(new ListInteractions(who, filter));
  }
}
