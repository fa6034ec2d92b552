import { Module } from '@nestjs/common';
import { InteractionMirror } from '@aos/sessions/published';
import { AskingSessions } from './asking-sessions.js';

/** Shows sessions what they asked: for the tools that ask, and for the reactor that reads what became of it. */
@Module({ providers: [AskingSessions, InteractionMirror], exports: [AskingSessions] })
export class AskingSessionsModule {}
