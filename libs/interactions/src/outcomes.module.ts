import { Module } from '@nestjs/common';
import { SessionsModule } from '@aos/sessions/published';
import { AskingSessionReactor } from './asking/asking-session.reactor.js';
import { AskingSessionsModule } from './asking/asking-sessions.module.js';

/** Brings interactions and their outcomes into the sessions that asked: for the process that writes sessions. */
@Module({ imports: [SessionsModule, AskingSessionsModule], providers: [AskingSessionReactor] })
export class InteractionOutcomesModule {}
