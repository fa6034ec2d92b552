import type { DynamicModule, Provider } from '@nestjs/common';
import {
  Blobs, Clock, Egress, EventLog, EventStore, Ids, Leases, LiveBus, ModelProvider, ReadStore, Snapshots,
} from '@aos/kernel';
import { Decisions, DueTimers, Payloads, Projectors, Readiness, WriterProjections } from '@aos/platform';

/** One adapter for each port, and how to close them all. */
export interface Ports {
  eventStore: EventStore;
  eventLog: EventLog;
  readStore: ReadStore;
  snapshots: Snapshots;
  liveBus: LiveBus;
  leases: Leases;
  blobs: Blobs;
  ids: Ids;
  models: ModelProvider;
  egress: Egress;
  /** How long a projector or runner may be silent before another takes over. */
  leaseMs: number;
  close(): Promise<void>;
}

class PortsModule {}

/** The ports and what the platform builds on them, injectable by class everywhere. */
export function portsModule(ports: Ports): DynamicModule {
  const value = (provide: unknown, useValue: unknown): Provider => ({ provide, useValue }) as Provider;
  const providers: Provider[] = [
    value(EventStore, ports.eventStore), value(EventLog, ports.eventLog), value(ReadStore, ports.readStore), value(Snapshots, ports.snapshots),
    value(LiveBus, ports.liveBus), value(Leases, ports.leases), value(Blobs, ports.blobs), value(Ids, ports.ids), value(ModelProvider, ports.models),
    value(Egress, ports.egress),
    Payloads, WriterProjections, Decisions, DueTimers,
    {
      provide: Projectors,
      useFactory: (decisions: Decisions, writers: WriterProjections, clock: Clock, readiness: Readiness) => {
        const projectors = new Projectors(ports.eventStore, ports.readStore, decisions, writers, ports.leases, clock, ports.ids, ports.leaseMs);
        readiness.register({
          name: 'projections',
          check: () => {
            const [stopped] = projectors.stopped;
            if (stopped) return Promise.resolve(`${stopped.name} stopped`);
            return Promise.resolve(projectors.caughtUp ? null : 'catching up');
          },
        });
        return projectors;
      },
      inject: [Decisions, WriterProjections, Clock, Readiness],
    },
  ];
  const exports = providers.map((provider) => (typeof provider === 'function' ? provider : (provider as unknown as { provide: never }).provide));
  return { module: PortsModule, global: true, providers, exports };
}
