import type { DynamicModule, Provider } from '@nestjs/common';
import {
  Blobs,
  Clock,
  CommandGateway,
  Egress,
  EventLog,
  EventStore,
  Ids,
  Leases,
  LiveBus,
  ModelProvider,
  ReadStore,
  Snapshots,
} from '@aos/kernel';
import {
  CommandHandlers,
  Decisions,
  DueTimers,
  LocalCommandGateway,
  Metrics,
  Payloads,
  Projectors,
  Readiness,
  Rebuilds,
  WriterProjections,
} from '@aos/platform';
import { measureProjections, measureWrites } from './measures.js';
import { withTraces } from './traced-ports.js';
import type { Ports } from './ports.js';

class PortsModule {}

/** The ports and what the platform builds on them, injectable by class everywhere. */
export function portsModule(given: Ports): DynamicModule {
  const ports = withTraces(given, given.eventStore.soleWriter ? 'sqlite' : 'eventstoredb');
  const values: [unknown, unknown][] = [
    [EventStore, ports.eventStore],
    [EventLog, ports.eventLog],
    [ReadStore, ports.readStore],
    [Snapshots, ports.snapshots],
    [LiveBus, ports.liveBus],
    [Leases, ports.leases],
    [Blobs, ports.blobs],
    [Ids, ports.ids],
    [ModelProvider, ports.models],
    [Egress, ports.egress],
  ];
  const providers: Provider[] = [
    ...values
      .filter(([, useValue]) => useValue !== undefined)
      .map(([provide, useValue]) => ({ provide, useValue }) as Provider),
    Payloads,
    WriterProjections,
    Decisions,
    DueTimers,
    CommandHandlers,
    {
      provide: CommandGateway,
      useFactory: (handlers: CommandHandlers) => ports.commandGateway?.(handlers) ?? new LocalCommandGateway(handlers),
      inject: [CommandHandlers],
    },
    {
      provide: Projectors,
      useFactory: (
        decisions: Decisions,
        writers: WriterProjections,
        clock: Clock,
        readiness: Readiness,
        metrics?: Metrics,
      ) => {
        const projectors = new Projectors(
          ports.eventStore,
          ports.readStore,
          decisions,
          writers,
          ports.leases,
          clock,
          ports.ids,
          ports.leaseMs,
          ports.owns,
        );
        if (metrics) {
          measureWrites(decisions, metrics);
          measureProjections(projectors, metrics);
        }
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
      inject: [Decisions, WriterProjections, Clock, Readiness, { token: Metrics, optional: true }],
    },
    {
      provide: Rebuilds,
      useFactory: (decisions: Decisions, writers: WriterProjections, clock: Clock, handlers: CommandHandlers) =>
        new Rebuilds(ports.eventStore, ports.readStore, decisions, writers, clock, handlers, ports.owns),
      inject: [Decisions, WriterProjections, Clock, CommandHandlers],
    },
  ];
  const exports = providers.map((provider) =>
    typeof provider === 'function' ? provider : (provider as unknown as { provide: never }).provide,
  );
  return { module: PortsModule, global: true, providers, exports };
}
