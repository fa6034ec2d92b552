import { Injectable, Module, Optional, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Clock, EventStore, Ids, Leases, LiveBus, ReadStore } from '@aos/kernel';
import { Metrics, Readiness, Rebuilds, Settings, commandHandlersIn, stopOf } from '@aos/platform';
import { DefinitionsReadingModule } from '@aos/definitions/published';
import { SessionsReadingModule } from '@aos/sessions/published';
import { EventCatalogQueries } from './catalog/event-catalog.queries.js';
import { FeedNotifier, FeedNotifiers, LiveBusFeedNotifier } from './notifiers/feed-notifier.js';
import { KafkaChangeNotifier } from './notifiers/kafka-change-notifier.js';
import { EventFeed } from './feed/event-feed.js';
import { EventStreams } from './feed/event-streams.js';
import { SourceEventQueries } from './feed/events.queries.js';
import { FeedProjector } from './feed/feed-projector.js';
import { OrgFeeds } from './feed/org-feeds.js';
import { Reaches } from './feed/reach.js';
import { EventCatalogController } from './catalog/event-catalog.controller.js';
import { EventsController } from './feed/events.controller.js';
import { InboundController } from './inbound/inbound.controller.js';
import * as inbound from './inbound/inbound.handlers.js';
import { InboundMail } from './mail/inbound-mail.js';
import { SmtpListener } from './mail/smtp-listener.js';
import { PublicEvents } from './publishing/public-events.js';
import { PublicEventsModule } from './publishing/public-events.module.js';

/**
 * A dead process' feed or relay is taken over after this; exact revisions fence it, so that a short lease only costs a
 * takeover. Ours.
 */
const takeoverMs = 5_000;

const projector = {
  provide: FeedProjector,
  useFactory: (
    store: EventStore,
    readStore: ReadStore,
    events: PublicEvents,
    leases: Leases,
    bus: LiveBus,
    clock: Clock,
    ids: Ids,
    settings: Settings,
  ) =>
    new FeedProjector({
      store,
      readStore,
      events,
      leases,
      bus,
      clock,
      owner: `feed_${ids.ulid()}`,
      leaseMs: Math.min(settings.leaseSeconds * 1000, takeoverMs),
      retentionDays: settings.eventsRetentionDays,
    }),
  inject: [EventStore, ReadStore, PublicEvents, Leases, LiveBus, Clock, Ids, Settings],
};

/** Runs the feed's projector for the life of the process. */
@Injectable()
class FeedRunning implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly feed: FeedProjector,
    readiness: Readiness,
    metrics: Metrics,
    @Optional() rebuilds?: Rebuilds,
  ) {
    rebuilds?.register(feed.ordered);
    readiness.register({ name: 'feed', check: () => Promise.resolve(stopOf(feed.failure)) });
    metrics.observedGauge('feed_stopped', 'Whether the feed of source events stopped for good.', () =>
      feed.failure === null ? 0 : 1,
    );
  }

  onApplicationBootstrap(): void {
    this.feed.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.feed.close();
  }
}

/**
 * The organization's events: their feed over HTTP, their catalog, and the way in for mail and provider events. A fleet
 * adds its notifier with `FleetNotifiersModule`.
 */
@Module({
  imports: [CqrsModule, DefinitionsReadingModule, SessionsReadingModule, PublicEventsModule],
  controllers: [EventsController, EventCatalogController, InboundController],
  providers: [
    projector,
    FeedRunning,
    EventFeed,
    EventStreams,
    OrgFeeds,
    Reaches,
    SourceEventQueries,
    EventCatalogQueries,
    InboundMail,
    SmtpListener,
    ...commandHandlersIn(inbound),
    {
      provide: FeedNotifier,
      useFactory: (bus: LiveBus, kafka?: KafkaChangeNotifier) =>
        new FeedNotifiers([new LiveBusFeedNotifier(bus), ...(kafka ? [kafka.feeds] : [])]),
      inject: [LiveBus, { token: KafkaChangeNotifier, optional: true }],
    },
  ],
  exports: [EventFeed, Reaches, FeedNotifier],
})
export class EventsModule {}
