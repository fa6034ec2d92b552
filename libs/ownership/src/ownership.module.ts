import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { commandHandlersIn } from '@aos/platform';
import { AccessReadersModule } from '@aos/access/published';
import { ConnectionsModule } from '@aos/connections/published';
import { DefinitionsWritingModule } from '@aos/definitions/published';
import { WebhookDirectory } from '@aos/events/published';
import { SessionsReadingModule } from '@aos/sessions/published';
import { CustodyFollowUps } from './follow-ups/custody-follow-ups.js';
import { DispositionSteps } from './follow-ups/disposition-steps.js';
import { FollowUpTimers } from './follow-ups/follow-up-timers.js';
import { ImpactController } from './impact/impact.controller.js';
import { ImpactQueries } from './impact/impact.queries.js';
import { StrandedPeople } from './impact/stranded-people.js';
import { OwnershipController } from './transfers/ownership.controller.js';
import * as transfers from './transfers/ownership.handlers.js';

/** Who owns things and who reaches them: writes no streams of its own, and has each context change its things. */
@Module({
  imports: [CqrsModule, AccessReadersModule, ConnectionsModule, DefinitionsWritingModule, SessionsReadingModule],
  controllers: [OwnershipController, ImpactController],
  providers: [
    ...commandHandlersIn(transfers),
    WebhookDirectory,
    ImpactQueries,
    StrandedPeople,
    DispositionSteps,
    CustodyFollowUps,
    FollowUpTimers,
  ],
})
export class OwnershipModule {}
