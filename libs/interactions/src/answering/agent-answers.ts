import { Injectable, type OnModuleInit } from '@nestjs/common';
import { notFound, type Identity, type JsonObject } from '@aos/kernel';
import { CommandHandlers } from '@aos/platform';
import type { AnswerSet } from '../forms/answers.decide.js';
import { interactionCommandNames } from '../interaction/command-names.js';
import { InteractionDirectory } from '../reading/interaction-directory.js';
import { InteractionAnswers } from './interaction-answers.js';

/**
 * Answers and cancels for an agent in a tool call, as its own principal.
 *
 * Promises: a repeated delivery id changes nothing and answers with the record as it is. Refuses as the HTTP operations
 *           do.
 */
@Injectable()
export class AgentAnswers implements OnModuleInit {
  constructor(
    private readonly handlers: CommandHandlers,
    private readonly answers: InteractionAnswers,
    private readonly directory: InteractionDirectory,
  ) {}

  onModuleInit(): void {
    const names = interactionCommandNames;
    this.handlers.register(names.respond, ({ identity, payload, deliveryId }) =>
      this.answers.respond(identity, String(payload.interaction_id), payload.body as unknown as AnswerSet, deliveryId),
    );
    this.handlers.register(names.cancel, ({ identity, payload, deliveryId }) =>
      this.cancel(
        identity,
        String(payload.interaction_id),
        typeof payload.reason === 'string' ? payload.reason : null,
        deliveryId,
      ),
    );
  }

  /** Only what the agent itself asked (rule I24); anything else is not there. */
  private async cancel(
    who: Identity,
    interactionId: string,
    reason: string | null,
    deliveryId: string,
  ): Promise<JsonObject> {
    const { opening } = await this.directory.visible(who, interactionId);
    if (opening.created_by !== who.principalId) throw notFound('interaction');
    return this.answers.cancel(who, interactionId, reason, deliveryId);
  }
}
