import { Module } from '@nestjs/common';
import { InteractionMirror, SessionsModule } from '@aos/sessions/published';
import { AskingSessionReactor } from './asking/asking-session.reactor.js';
import { AskingSessions } from './asking/asking-sessions.js';

/** Brings interactions and their outcomes into the sessions that asked: for the process that writes sessions. */
@Module({ imports: [SessionsModule], providers: [AskingSessionReactor, AskingSessions, InteractionMirror] })
export class InteractionOutcomesModule {}
