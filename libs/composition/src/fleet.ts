import { isIP, isIPv6 } from 'node:net';
import { SystemClock } from '@aos/adapters/system';
import { ownOperationsOnly, serviceNames, services, type ServiceName } from '@aos/gateway';
import type { Members } from '@aos/kernel';
import {
  commandsPath,
  CommandsController,
  Membership,
  Owners,
  Ownership,
  publicUrlWarning,
  resolvedPrefix,
  sessionOwners,
  type AppModules,
  type Core,
  type Settings,
  type StartOptions,
} from '@aos/platform';
import { fleetPorts, type FleetNeeds } from './fleet-ports.js';
import { portsModule } from './ports.module.js';

interface Composed {
  needs: FleetNeeds;
  /** Gives callers addresses that begin with `SVC_PUBLIC_URL`. */
  givesAddresses?: true;
  /**
   * The contexts whose operations it serves, and what those read of others. Loaded when the service starts: a process
   * runs the code of its own contexts only.
   */
  modules(): Promise<AppModules>;
}

const composed: Readonly<Record<ServiceName, Composed>> = {
  'session-service': {
    needs: { models: true, egress: true, limits: true, members: true },
    givesAddresses: true,
    async modules() {
      const { SessionsModule } = await import('@aos/sessions');
      const { SessionFeedsModule } = await import('@aos/streams/published');
      const { InteractionOutcomesModule } = await import('@aos/interactions');
      const { DeferringModule, InvocationsModule, ToolsModule } = await import('@aos/tools');
      const { RoutineOccurrencesModule } = await import('@aos/routines');
      const { ExchangesModule } = await import('@aos/channels');
      const { BillingModule } = await import('@aos/billing');
      const { ArtifactsModule } = await import('@aos/artifacts');
      const { OverviewModule } = await import('./overview/overview.module.js');
      return [
        SessionsModule,
        SessionFeedsModule,
        InteractionOutcomesModule,
        ToolsModule,
        InvocationsModule,
        DeferringModule,
        RoutineOccurrencesModule,
        ExchangesModule,
        BillingModule,
        ArtifactsModule,
        OverviewModule.of([...serviceNames, 'gateway']),
      ];
    },
  },
  'blueprint-service': {
    needs: { models: true, egress: true, limits: true },
    givesAddresses: true,
    async modules() {
      const { DefinitionsModule } = await import('@aos/definitions');
      const { BlueprintsModule } = await import('@aos/blueprints');
      const { BuiltinActionsModule } = await import('@aos/tools/published');
      const { RoutinesModule } = await import('@aos/routines');
      const { ConnectionsModule } = await import('@aos/connections');
      const { BindingsModule } = await import('@aos/channels');
      const { OwnershipModule } = await import('@aos/ownership');
      return [
        DefinitionsModule,
        BlueprintsModule,
        BuiltinActionsModule,
        RoutinesModule,
        ConnectionsModule,
        BindingsModule,
        OwnershipModule,
      ];
    },
  },
  'interaction-service': {
    needs: { egress: true },
    async modules() {
      const { InteractionsModule } = await import('@aos/interactions');
      return [InteractionsModule];
    },
  },
  'access-service': {
    needs: {},
    async modules() {
      const { AccessModule, OperatorEndpointModule } = await import('@aos/access');
      const { DefinitionsReadingModule } = await import('@aos/definitions/published');
      const { BuiltinActionsModule } = await import('@aos/tools/published');
      const { InteractionAdministrationModule } = await import('@aos/interactions');
      const { BlueprintAdministrationModule } = await import('@aos/blueprints');
      const { RoutineAdministrationModule } = await import('@aos/routines/published');
      const { ConnectionAdministrationModule } = await import('@aos/connections/published');
      const { ChannelAdministrationModule } = await import('@aos/channels/published');
      const { ArtifactAdministrationModule } = await import('@aos/artifacts/published');
      const { SessionAdministrationModule } = await import('@aos/sessions/published');
      const { WebhookAdministrationModule } = await import('@aos/events/published');
      const { FirstStartModule } = await import('./first-start.module.js');
      return [
        AccessModule,
        DefinitionsReadingModule,
        BuiltinActionsModule,
        SessionAdministrationModule,
        InteractionAdministrationModule,
        BlueprintAdministrationModule,
        RoutineAdministrationModule,
        ConnectionAdministrationModule,
        ChannelAdministrationModule,
        ArtifactAdministrationModule,
        WebhookAdministrationModule,
        FirstStartModule,
        OperatorEndpointModule,
      ];
    },
  },
  'stream-service': {
    needs: { eventLog: true, egress: true },
    async modules() {
      const { StreamsModule } = await import('@aos/streams');
      const { EventsModule, FleetNotifiersModule, RelaysModule, WebhooksModule } = await import('@aos/events');
      return [StreamsModule, EventsModule, RelaysModule, WebhooksModule, FleetNotifiersModule];
    },
  },
};

/** The modules of the contexts that a service serves, without what is under them. */
export function contextsOf(name: ServiceName): Promise<AppModules> {
  return composed[name].modules();
}

/**
 * How every service is served: it believes signed identities only, takes commands of the others, and has the routes
 * that are its own.
 */
export function serviceOptions(name: ServiceName): StartOptions {
  return {
    clock: new SystemClock(),
    composition: 'fleet',
    identities: 'signed',
    internalPaths: [commandsPath],
    routes: (server, { contract }) => {
      ownOperationsOnly(name, server, contract);
    },
  };
}

class CommandsModule {}
const commands = { module: CommandsModule, controllers: [CommandsController] };

/** The modules of one service over the fleet's engines. */
export function serviceModules(name: ServiceName): (core: Core) => Promise<AppModules> {
  return async (core) => {
    const { needs, givesAddresses } = composed[name];
    const warning = givesAddresses ? publicUrlWarning(core.settings) : null;
    if (warning !== null) core.log.warn(warning);
    const { streams } = services[name];
    // What takes the processor comes first: connections that are being made time out behind it.
    const { HttpCommandGateway, SharedRateLimiter, Upstreams } = await import('@aos/gateway');
    const contexts = await contextsOf(name);
    const ports = await fleetPorts(core, needs);
    const upstreams = new Upstreams(core.settings.gatewayUpstreams, core.clock, {
      heartbeatSeconds: core.settings.streamHeartbeatSeconds,
    });
    const ownership = ownershipOf(core, ports.members);
    core.closers.push(
      () => ownership.close(),
      () => upstreams.close(),
      () => ports.close(),
    );
    const { rateLimitKeyRpm: keyPerMinute, rateLimitOrgRpm: orgPerMinute } = core.settings;
    if (ports.limits)
      core.charges.through(new SharedRateLimiter(ports.limits.buckets, { keyPerMinute, orgPerMinute }, core.clock));
    ports.commandGateway = (handlers) => new HttpCommandGateway(handlers, upstreams, core.identityTokens);
    ports.ownership = ownership;
    ports.owns = (category) => streams.includes(category);
    return [portsModule(ports), ...contexts, commands];
  };
}

/** What this process owns among the replicas of its service: all where it has no address. */
function ownershipOf(core: Core, members: Members | undefined): Ownership {
  const address = addressOf(core.settings);
  if (!members || address === null) return new Ownership();
  const warn = warnOf(core);
  const ownership = new Ownership({
    membership: new Membership(members, { address, build: core.app.version }, core.clock, warn),
    owners: new Owners(members, core.clock, warn),
  });
  core.drains.push(() => ownership.drain());
  return ownership;
}

/** URL of this replica, which others find it by; null: it has none. */
function addressOf({ address, port }: Pick<Settings, 'address' | 'port'>): string | null {
  if (address === null || isIP(address) === 0) return address;
  return `http://${isIPv6(address) ? `[${address}]` : address}:${port}`;
}

function warnOf({ log }: Core): (message: string) => void {
  return (message) => {
    log.warn(message);
  };
}

/** The gateway's modules: keys are read, nothing is written. */
export async function gatewayModules(core: Core): Promise<AppModules> {
  const { gatewayModule } = await import('@aos/gateway');
  const ports = await fleetPorts(core, { limits: true, members: true });
  const replicas = core.settings.gatewayUpstreams[sessionOwners] ?? [];
  const hasChoice = replicas.length > 1 || replicas.some((url) => url.startsWith(resolvedPrefix));
  const owners = ports.members && hasChoice ? new Owners(ports.members, core.clock, warnOf(core)) : null;
  owners?.start();
  core.closers.push(
    async () => owners?.close(),
    () => ports.close(),
  );
  ports.owns = () => false;
  if (!ports.limits) throw new Error('the gateway has no limits');
  return [portsModule(ports), gatewayModule(core, { ...ports.limits, ids: ports.ids, owners })];
}
