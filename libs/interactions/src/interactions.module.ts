import { Module, type OnModuleInit } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { WriterProjections, commandHandlersIn } from '@aos/platform';
import { AccessReadersModule } from '@aos/access/published';
import { DefinitionsReadingModule } from '@aos/definitions/published';
import { SessionsReadingModule } from '@aos/sessions/published';
import { AnsweringController } from './answering/answering.controller.js';
import * as answering from './answering/answering.handlers.js';
import { CallbackSender } from './callbacks/callback-sender.js';
import * as callbacks from './callbacks/callbacks.handlers.js';
import { interactionTimersProjection } from './interaction/timers.projection.js';
import { InteractionExpiry } from './expiry/interaction-expiry.js';
import { InteractionTimers } from './expiry/interaction-timers.js';
import { AskingTurns } from './opening/asking-turns.js';
import { InteractionOpener } from './opening/interaction-opener.js';
import { OpeningController } from './opening/opening.controller.js';
import * as opening from './opening/opening.handlers.js';
import { Subscribers } from './opening/subscribers.js';
import { InteractionPagesController } from './pages/pages.controller.js';
import { InteractionDirectory } from './reading/interaction-directory.js';
import { InteractionsController } from './reading/interactions.controller.js';
import { interactionsProjection } from './interaction/interaction.projection.js';
import { InteractionQueries } from './reading/interactions.queries.js';

/** Interactions by id and in lists, without their routes. */
@Module({
  imports: [AccessReadersModule, DefinitionsReadingModule, SessionsReadingModule],
  providers: [InteractionDirectory, InteractionQueries],
  exports: [SessionsReadingModule, InteractionDirectory, InteractionQueries],
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
    ...commandHandlersIn(opening),
    ...commandHandlersIn(answering),
    ...commandHandlersIn(callbacks),
    InteractionOpener,
    AskingTurns,
    Subscribers,
    answering.InteractionChanges,
    InteractionExpiry,
    InteractionTimers,
    CallbackSender,
  ],
  exports: [InteractionsReadingModule],
})
export class InteractionsModule {}
