import { Global, Injectable, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, EventLog, Ids } from '@aos/kernel';
import { Metrics, Settings } from '@aos/platform';
import { MoreDoorbells } from '@aos/streams/published';
import { KafkaDoorbell } from './doorbell/kafka-doorbell.js';

const bell = {
  provide: KafkaDoorbell,
  useFactory: (eventLog: EventLog, clock: Clock, ids: Ids, settings: Settings) =>
    new KafkaDoorbell({
      eventLog,
      clock,
      topicPrefix: settings.topicPrefix,
      group: `${settings.topicPrefix}.gw-${ids.ulid()}`,
    }),
  inject: [EventLog, Clock, Ids, Settings],
};

/** Listens to the relays' topics for the life of the process. */
@Injectable()
class Listening implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly kafka: KafkaDoorbell,
    metrics: Metrics,
  ) {
    metrics.observedGauge('doorbell_healthy', 'Whether the relays are heard.', () => (kafka.healthy ? 1 : 0));
  }

  onApplicationBootstrap(): void {
    this.kafka.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.kafka.close();
  }
}

/** The fleet's bell, for session streams and for feeds of events, in a process that serves them. */
@Global()
@Module({
  providers: [
    bell,
    Listening,
    {
      provide: MoreDoorbells,
      useFactory: (kafka: KafkaDoorbell): MoreDoorbells => ({ bells: [kafka] }),
      inject: [KafkaDoorbell],
    },
  ],
  exports: [KafkaDoorbell, MoreDoorbells],
})
export class FleetBellsModule {}
