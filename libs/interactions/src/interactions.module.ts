import { Module, type OnModuleInit } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { WriterProjections } from '@aos/platform';
import { AccessReadersModule } from '@aos/access/published';
import { DefinitionsReadingModule } from '@aos/definitions/published';
import { SessionsReadingModule } from '@aos/sessions/published';
import { AgentAnswers } from './answering/agent-answers.js';
import { AnsweringController } from './answering/answering.controller.js';
import { InteractionAnswers } from './answering/interaction-answers.js';
import { CallbackRedrive } from './callbacks/callback-redrive.js';
import { CallbackResealing } from './callbacks/callback-resealing.js';
import { CallbackSender } from './callbacks/callback-sender.js';
import { interactionTimersProjection } from './interaction/timers.projection.js';
import { InteractionExpiry } from './expiry/interaction-expiry.js';
import { InteractionTimers } from './expiry/interaction-timers.js';
import { AskedInteractions } from './opening/asked-interactions.js';
import { InteractionOpenings } from './opening/interaction-openings.js';
import { OpeningController } from './opening/opening.controller.js';
import { InteractionPagesController } from './pages/pages.controller.js';
import { InteractionDirectory } from './reading/interaction-directory.js';
import { InteractionsController } from './reading/interactions.controller.js';
import { interactionsProjection } from './interaction/interaction.projection.js';
import { GetInteractionHandler, ListInteractionsHandler } from './reading/interactions.queries.js';

/** Interactions by id and in lists, without their routes. */
@Module({
  imports: [CqrsModule, AccessReadersModule, DefinitionsReadingModule, SessionsReadingModule],
  providers: [InteractionDirectory, GetInteractionHandler, ListInteractionsHandler],
  exports: [SessionsReadingModule, InteractionDirectory],
})
export class InteractionsReadingModule implements OnModuleInit {
  constructor(private readonly projections: WriterProjections) {}

  onModuleInit(): void {
    this.projections.register(interactionsProjection);
    this.projections.register(interactionTimersProjection);
  }
}

/** Interactions: writes `interaction-`; expires them, and delivers outcomes to subscribers. */
@Module({
  imports: [CqrsModule, AccessReadersModule, InteractionsReadingModule],
  controllers: [OpeningController, InteractionsController, AnsweringController, InteractionPagesController],
  providers: [
    InteractionOpenings,
    InteractionAnswers,
    InteractionExpiry,
    InteractionTimers,
    AskedInteractions,
    AgentAnswers,
    CallbackRedrive,
    CallbackSender,
    CallbackResealing,
  ],
  exports: [InteractionsReadingModule],
})
export class InteractionsModule {}
