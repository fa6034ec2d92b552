import { Global, Injectable, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, EventLog, Ids } from '@aos/kernel';
import { Metrics, Settings } from '@aos/platform';
import { MoreChangeNotifiers } from '@aos/streams/published';
import { KafkaChangeNotifier } from './notifiers/kafka-change-notifier.js';

const notifier = {
  provide: KafkaChangeNotifier,
  useFactory: (eventLog: EventLog, clock: Clock, ids: Ids, settings: Settings) =>
    new KafkaChangeNotifier({
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
    private readonly kafka: KafkaChangeNotifier,
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

/** The fleet's change notifier, for session streams and for feeds of events, in a process that serves them. */
@Global()
@Module({
  providers: [
    notifier,
    Listening,
    {
      provide: MoreChangeNotifiers,
      useFactory: (kafka: KafkaChangeNotifier): MoreChangeNotifiers => ({ notifiers: [kafka] }),
      inject: [KafkaChangeNotifier],
    },
  ],
  exports: [KafkaChangeNotifier, MoreChangeNotifiers],
})
export class FleetNotifiersModule {}
