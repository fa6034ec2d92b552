import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Abstract, DynamicModule, Provider } from '@nestjs/common';
import { Clock } from '@aos/kernel';
import { BrowserTokens, CursorSeal, IdentityTokens, KeyRing, Sealer, serviceKeys } from '../../keys/index.js';
import { Log, Metrics, PinoLog } from '../../observability/index.js';
import { Settings, loadSettings, prepareDataDirectory, unknownSettings } from '../../settings/index.js';
import type { Composition } from '../../settings/index.js';
import { ConsoleController } from '../operations/console.controller.js';
import { ConsolePages } from '../pages/console-pages.js';
import { consoleFolder as builtConsole } from '../pages/console-build.js';
import { FirstKeyController } from '../operations/first-key.controller.js';
import { FirstKey } from '../pages/first-key.js';
import { isLoopback } from '../server/from-here.js';
import { Contract, loadContract } from '../contract/contract.js';
import { OperationsController } from '../operations/operations.controller.js';
import { ReferenceController } from '../reference/reference.controller.js';
import { Readiness } from '../operations/readiness.js';
import { Sockets } from '../sockets/sockets.js';
import { SseStreams } from '../streams/sse-streams.js';
import { StreamSlots } from '../streams/stream-slots.js';
import { InFlight } from '../server/in-flight.js';
import { RateCharges } from '../server/rate-charges.js';
import { ServedApp } from '../server/served-app.js';

/** What every app has before its modules: each member is injectable by its class everywhere. */
export interface Core {
  readonly app: ServedApp;
  readonly settings: Settings;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly keys: KeyRing;
  readonly sealer: Sealer;
  readonly cursors: CursorSeal;
  readonly browserTokens: BrowserTokens;
  readonly identityTokens: IdentityTokens;
  readonly contract: Contract;
  readonly readiness: Readiness;
  readonly slots: StreamSlots;
  readonly streams: SseStreams;
  readonly sockets: Sockets;
  readonly inFlight: InFlight;
  readonly charges: RateCharges;
  /** Null where no link of a first start is printed: for the fleet, for other machines, without a console. */
  readonly firstKey: FirstKey | null;
  /** What runs first when the process is told to stop, each for 3 s at most: it still serves as before. */
  readonly drains: (() => Promise<void>)[];
  /** What is closed after every module has stopped, in order: the adapters. */
  readonly closers: (() => Promise<void>)[];
}

export interface CoreOptions {
  clock: Clock;
  /** Defaults differ between the two; `embedded` unless said otherwise. */
  composition?: Composition;
  /** The process environment by default. */
  env?: Readonly<Record<string, string | undefined>>;
  /** In place of standard output. */
  log?: Log;
  /**
   * `keys`: a module provides `IdentitySource`, and callers are rate limited. `signed`: signed identities of the
   * gateway are believed. Embedded and gateway take keys.
   */
  identities?: 'keys' | 'signed';
  /** Where the console was built; the build of this checkout by default. */
  consoleFolder?: string | null;
}

export function makeCore(name: string, options: CoreOptions): Core {
  const { clock, composition = 'embedded', env = process.env, log } = options;
  const settings = loadSettings(env, composition);
  const open = composition === 'embedded' ? prepareDataDirectory(settings.dataDir) : [];
  const { ring: keys, identities, warning } = serviceKeys(name, settings);
  const metrics = new Metrics({ processMetrics: true });
  const inFlight = new InFlight();
  const slots = new StreamSlots({
    perKey: settings.streamsPerKey,
    perOrg: settings.streamsPerOrg,
    perProcess: settings.streamsPerProcess,
  });
  const times = { heartbeatSeconds: settings.streamHeartbeatSeconds, rotateSeconds: settings.streamRotateSeconds };
  const streams = new SseStreams(slots, inFlight, clock, times);
  const ownLog = log ?? PinoLog.create({ app: name, level: settings.logLevel, pretty: settings.logPretty });
  for (const reason of open) ownLog.warn('files open to other users', { reason });
  for (const { name: unknown, nearest } of unknownSettings(env))
    ownLog.warn(`${unknown} is no setting; the nearest one is ${nearest}`);
  if (warning !== null) ownLog.warn(warning);
  const sockets = new Sockets(slots, inFlight, clock, ownLog);
  metrics.observedGauge('http_requests_in_flight', 'Requests that are being worked on.', () => inFlight.count);
  metrics.observedGauge('http_streams_open', 'Open event streams.', () => streams.open);
  metrics.observedGauge('http_sockets_open', 'Open WebSockets.', () => sockets.open);
  const console = consoleOf(settings, options);
  const isForHere = composition === 'embedded' && console !== null && isLoopback(settings.host);
  return {
    app: new ServedApp(name, packageVersion(), settings.metricsPort !== null, console),
    settings,
    log: ownLog,
    metrics,
    clock,
    keys,
    sealer: new Sealer(keys),
    cursors: new CursorSeal(keys),
    browserTokens: new BrowserTokens(keys),
    identityTokens: new IdentityTokens(keys, clock, identities),
    contract: loadContract(),
    readiness: new Readiness(),
    slots,
    streams,
    sockets,
    inFlight,
    charges: new RateCharges((error) => {
      ownLog.error('rate charge', { error });
    }),
    firstKey: isForHere ? new FirstKey(clock) : null,
    drains: [],
    closers: [],
  };
}

/** Served where people come: by what takes keys. */
function consoleOf(
  { console: isWanted }: Settings,
  { identities = 'keys', consoleFolder: folder = builtConsole() }: CoreOptions,
): ConsolePages | null {
  return isWanted && identities === 'keys' && folder !== null ? new ConsolePages(folder) : null;
}

class CoreModule {}
class ServedRoot {}

/** The root of an app: its modules, and the core for all of them. */
export function rootOf(core: Core, modules: NonNullable<DynamicModule['imports']>): DynamicModule {
  const values: [Abstract<unknown>, unknown][] = [
    [ServedApp, core.app],
    [Settings, core.settings],
    [Log, core.log],
    [Metrics, core.metrics],
    [Clock, core.clock],
    [KeyRing, core.keys],
    [Sealer, core.sealer],
    [CursorSeal, core.cursors],
    [BrowserTokens, core.browserTokens],
    [IdentityTokens, core.identityTokens],
    [Contract, core.contract],
    [Readiness, core.readiness],
    [StreamSlots, core.slots],
    [SseStreams, core.streams],
    [Sockets, core.sockets],
    [RateCharges, core.charges],
    [ConsolePages, core.app.console],
    [FirstKey, core.firstKey],
  ];
  const providers = values.map(([provide, useValue]): Provider => ({ provide, useValue }));
  const exports = values.map(([token]) => token);
  const coreModule: DynamicModule = {
    module: CoreModule,
    global: true,
    controllers: [
      OperationsController,
      ReferenceController,
      ...(core.app.console ? [ConsoleController] : []),
      ...(core.firstKey ? [FirstKeyController] : []),
    ],
    providers,
    exports,
  };
  return { module: ServedRoot, imports: [coreModule, ...modules] };
}

/** The same folder above the sources and above dist. */
function packageVersion(): string {
  const text = readFileSync(join(__dirname, '..', '..', '..', '..', '..', 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
