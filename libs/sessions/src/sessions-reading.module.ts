import { Module } from '@nestjs/common';
import { AccessReadersModule } from '@aos/access/published';
import { DefinitionsReadingModule } from '@aos/definitions/published';
import { TranscriptFragments } from './fragments/transcript-fragments.js';
import { SessionWatches } from './live/session-watches.js';
import { AgentSessions } from './reading/agent-sessions.js';
import { NudgeReader } from './reading/nudge-reader.js';
import { PresentSessions } from './reading/present-sessions.js';
import { SessionCursors } from './reading/session-cursors.js';
import { SessionDirectory } from './reading/session-directory.js';
import { TranscriptRows } from './reading/transcript-rows.js';
import { TurnReader } from './reading/turn-reader.js';

const readers = [
  AgentSessions,
  SessionDirectory,
  PresentSessions,
  SessionCursors,
  TurnReader,
  NudgeReader,
  TranscriptRows,
  TranscriptFragments,
  SessionWatches,
];

/**
 * Sessions, turns, nudges and transcripts for readers in any process, and who follows them: no routes, and nothing that
 * runs turns.
 */
@Module({ imports: [AccessReadersModule, DefinitionsReadingModule], providers: readers, exports: readers })
export class SessionsReadingModule {}
