import type { DynamicModule, Provider } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import {
  Blobs,
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
  RoutedCommands,
  CommandSender,
  Decisions,
  DocumentTexts,
  DueTimers,
  Lags,
  LocalCommandGateway,
  OwnProjections,
  OwnStreams,
  Ownership,
  Payloads,
  Projectors,
  RebuildProjectionHandler,
  Rebuilds,
  ReleaseWrites,
  RoutedCommandsExplorer,
  VerifyProjectionsHandler,
  WriterProjections,
} from '@aos/platform';
import { Measures } from './measures.js';
import { OwnState } from './overview/own-state.js';
import { ProcessNotes } from './overview/process-notes.js';
import { TurnCounts } from './overview/turn-counts.js';
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
    DocumentTexts,
    ReleaseWrites,
    DueTimers,
    RoutedCommands,
    CommandSender,
    RoutedCommandsExplorer,
    {
      provide: CommandGateway,
      useFactory: (routed: RoutedCommands) => ports.commandGateway?.(routed) ?? new LocalCommandGateway(routed),
      inject: [RoutedCommands],
    },
    { provide: Ownership, useValue: ports.ownership ?? new Ownership() },
    { provide: OwnStreams, useValue: new OwnStreams(ports.owns) },
    OwnProjections,
    Projectors,
    Rebuilds,
    VerifyProjectionsHandler,
    RebuildProjectionHandler,
    Measures,
    Lags,
    OwnState,
    TurnCounts,
    ProcessNotes,
  ];
  const exports = providers.map((provider) => (typeof provider === 'function' ? provider : provider.provide));
  return { module: PortsModule, global: true, imports: [CqrsModule], providers, exports };
}
