import { Inject, Injectable, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, EventLog, EventStore } from '@aos/kernel';
import { Lags, Metrics, Reactors, Settings } from '@aos/platform';
import { PublicEvents } from './publishing/public-events.js';
import { PublicEventsModule } from './publishing/public-events.module.js';
import { Heartbeats, sessionLogRelay } from './relay/session-log-relay.js';
import { sourceRelay } from './relay/source-relay.js';
import type { Relay } from './relay/relay.js';

/** Source events and session events on their way to the fleet's topics, for the life of the process. */
@Injectable()
export class Relays implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly relays: readonly Relay[];
  private readonly heartbeats: Heartbeats;

  constructor(
    events: PublicEvents,
    store: EventStore,
    eventLog: EventLog,
    reactors: Reactors,
    clock: Clock,
    @Inject(Settings) settings: Settings,
  ) {
    const parts = { store, eventLog, reactors, clock };
    const sessionLog = sessionLogRelay(settings.topicPrefix, parts);
    this.relays = [sourceRelay(events, settings.topicPrefix, parts), sessionLog];
    this.heartbeats = new Heartbeats(sessionLog, settings.topicPrefix, parts);
  }

  onApplicationBootstrap(): void {
    for (const relay of this.relays) relay.start();
    this.heartbeats.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.heartbeats.close();
    await Promise.all(this.relays.map((relay) => relay.close()));
  }
}

/** How far the relays are. */
@Injectable()
class RelayMeasures {
  constructor({ relays }: Relays, metrics: Metrics, lags: Lags) {
    const each = (measure: (relay: Relay) => number) => () =>
      Object.fromEntries(relays.map((relay) => [relay.name, measure(relay)]));
    metrics.observedGauges(
      'relay_lag_seconds',
      'Age of the oldest event that waits to leave.',
      'relay',
      each(({ lagMs }) => lagMs / 1000),
    );
    lags.register(() => Object.fromEntries(relays.map(({ name, lagMs }) => [`relay ${name}`, lagMs])));
    metrics.observedGauges(
      'relay_active',
      'Whether this process is the one that relays.',
      'relay',
      each(({ active }) => (active ? 1 : 0)),
    );
    metrics.observedGauges(
      'relay_stopped',
      'Whether the relay stopped for good.',
      'relay',
      each(({ failure }) => (failure === null ? 0 : 1)),
    );
  }
}

/** The relays: only where an EventLog has readers, that is in the fleet. */
@Module({ imports: [PublicEventsModule], providers: [Reactors, Relays, RelayMeasures] })
export class RelaysModule {}
