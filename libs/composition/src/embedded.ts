import type { DynamicModule } from '@nestjs/common';
import type { AppModules, Core } from '@aos/platform';
import { embeddedPorts } from './embedded-ports.js';
import { portsModule } from './ports.module.js';
import type { Ports } from './ports.js';

/**
 * Every context over the embedded adapters, and over ports that are given besides.
 * Loaded inside the function, so that a service of the fleet does not load them all.
 */
export async function embeddedModules(core: Core, given: Partial<Ports> = {}): Promise<AppModules> {
  const { AccessModule, OperatorSocketModule, RevokedStreamsModule } = await import('@aos/access');
  const { DefinitionsModule } = await import('@aos/definitions');
  const { BlueprintAdministrationModule, BlueprintsModule } = await import('@aos/blueprints');
  const { SessionAdministrationModule, SessionsModule } = await import('@aos/sessions');
  const { InteractionAdministrationModule, InteractionOutcomesModule, InteractionsModule } =
    await import('@aos/interactions');
  const { DeferringModule, InvocationsModule, ToolsModule } = await import('@aos/tools');
  const { RoutineAdministrationModule, RoutineOccurrencesModule, RoutinesModule } = await import('@aos/routines');
  const { ConnectionAdministrationModule, ConnectionsModule } = await import('@aos/connections');
  const { OwnershipModule } = await import('@aos/ownership');
  const { BindingsModule, ChannelAdministrationModule, ExchangesModule } = await import('@aos/channels');
  const { BillingModule } = await import('@aos/billing');
  const { ArtifactAdministrationModule, ArtifactsModule } = await import('@aos/artifacts/published');
  const { StreamsModule } = await import('@aos/streams');
  const { EventsModule, WebhookAdministrationModule, WebhooksModule } = await import('@aos/events');
  const { LogAdministrationModule } = await import('./log-administration.module.js');
  const { OverviewModule } = await import('./overview/overview.module.js');
  const { FirstStartModule } = await import('./first-start.module.js');
  const ports = await embeddedPorts(core);
  core.closers.push(() => ports.close());
  return [
    portsModule({ ...ports, ...given }),
    AccessModule,
    DefinitionsModule,
    BlueprintsModule,
    SessionsModule,
    ToolsModule,
    InvocationsModule,
    DeferringModule,
    StreamsModule,
    EventsModule,
    WebhooksModule,
    InteractionsModule,
    InteractionOutcomesModule,
    RoutinesModule,
    ConnectionsModule,
    RoutineOccurrencesModule,
    OwnershipModule,
    BindingsModule,
    ExchangesModule,
    BillingModule,
    ArtifactsModule,
    OverviewModule.of([]),
    InteractionAdministrationModule,
    SessionAdministrationModule,
    BlueprintAdministrationModule,
    RoutineAdministrationModule,
    ConnectionAdministrationModule,
    ChannelAdministrationModule,
    ArtifactAdministrationModule,
    WebhookAdministrationModule,
    LogAdministrationModule.over(ports.convertLog),
    FirstStartModule,
    OperatorSocketModule,
    RevokedStreamsModule,
  ];
}

/** The operator's commands for the log, for a process that works on a data directory without the service. */
export async function logAdministration({ convertLog }: Required<Pick<Ports, 'convertLog'>>): Promise<DynamicModule> {
  const { LogAdministrationModule } = await import('./log-administration.module.js');
  return LogAdministrationModule.over(convertLog);
}
