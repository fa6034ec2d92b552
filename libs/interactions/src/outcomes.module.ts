import { Module } from '@nestjs/common';
import { SessionsModule } from '@aos/sessions/published';
import { AskingSessionReactor } from './asking/asking-session.reactor.js';

/** Brings interactions and their outcomes into the sessions that asked: for the process that writes sessions. */
@Module({ imports: [SessionsModule], providers: [AskingSessionReactor] })
export class InteractionOutcomesModule {}
