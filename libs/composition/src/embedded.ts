import type { AppModules, Core } from '@aos/platform';
import { AccessModule, OperatorSocketModule, RevokedStreamsModule } from '@aos/access';
import { DefinitionsModule } from '@aos/definitions';
import { BlueprintAdministrationModule, BlueprintsModule } from '@aos/blueprints';
import { SessionAdministrationModule, SessionsModule } from '@aos/sessions';
import { InteractionAdministrationModule, InteractionOutcomesModule, InteractionsModule } from '@aos/interactions';
import { DeferringModule, InvocationsModule, ToolsModule } from '@aos/tools';
import { RoutineAdministrationModule, RoutineOccurrencesModule, RoutinesModule } from '@aos/routines';
import { ConnectionAdministrationModule, ConnectionsModule } from '@aos/connections';
import { OwnershipModule } from '@aos/ownership';
import { BindingsModule, ChannelAdministrationModule, ExchangesModule } from '@aos/channels';
import { BillingModule } from '@aos/billing';
import { ArtifactAdministrationModule, ArtifactsModule } from '@aos/artifacts/published';
import { StreamsModule } from '@aos/streams';
import { EventsModule, WebhookAdministrationModule, WebhooksModule } from '@aos/events';
import { embeddedPorts } from './embedded-ports.js';
import { LogAdministrationModule } from './log-administration.module.js';
import { OverviewModule } from './overview/overview.module.js';
import { FirstStartModule } from './first-start.module.js';
import { portsModule } from './ports.module.js';
import type { Ports } from './ports.js';

/** Every context over the embedded adapters, and over ports that are given besides. */
export async function embeddedModules(core: Core, given: Partial<Ports> = {}): Promise<AppModules> {
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
