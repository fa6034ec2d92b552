import { Global, Module } from '@nestjs/common';
import { LiveBus } from '@aos/kernel';
import { AccessReadersModule } from '@aos/access/published';
import { DefinitionsReadingModule } from '@aos/definitions/published';
import { InlineStreams, SessionsReadingModule } from '@aos/sessions/published';
import { ChangeNotifier, ChangeNotifiers, LiveBusChangeNotifier, MoreChangeNotifiers } from './feed/change-notifier.js';
import { FeedStarter } from './feed/feed-starter.js';
import { SessionFeeds } from './feed/session-feeds.js';
import { SessionLog } from './feed/session-log.js';
import { SessionFollowers } from './http/session-followers.js';
import { SessionStreams } from './http/session-streams.js';
import { TurnStreams } from './http/turn-streams.js';
import { StreamsController } from './http/streams.controller.js';
import { FragmentPages } from './transcript/fragment-pages.js';
import { PageTokens } from './transcript/page-token.js';
import { SnapshotPages } from './transcript/snapshot-pages.js';
import { TranscriptQueries, TurnLiveQueries } from './transcript/transcript.queries.js';

/**
 * Feeds of watched sessions and the inline streams over them, without routes: for every process that starts turns or
 * serves streams. Provides `InlineStreams` for all modules of the process. A fleet adds notifiers through
 * `MoreChangeNotifiers`.
 */
@Global()
@Module({
  imports: [AccessReadersModule, DefinitionsReadingModule, SessionsReadingModule],
  providers: [
    FeedStarter,
    SessionFeeds,
    SessionLog,
    SnapshotPages,
    SessionFollowers,
    SessionStreams,
    TurnStreams,
    {
      provide: ChangeNotifier,
      useFactory: (bus: LiveBus, more?: MoreChangeNotifiers) =>
        new ChangeNotifiers([new LiveBusChangeNotifier(bus), ...(more?.notifiers ?? [])]),
      inject: [LiveBus, { token: MoreChangeNotifiers, optional: true }],
    },
    { provide: InlineStreams, useExisting: TurnStreams },
  ],
  exports: [
    SessionFeeds,
    SessionLog,
    SessionsReadingModule,
    SnapshotPages,
    SessionStreams,
    InlineStreams,
    ChangeNotifier,
  ],
})
export class SessionFeedsModule {}

/** Session streams and snapshots over HTTP. */
@Module({
  imports: [SessionFeedsModule],
  controllers: [StreamsController],
  providers: [FragmentPages, PageTokens, TranscriptQueries, TurnLiveQueries],
})
export class StreamsModule {}
