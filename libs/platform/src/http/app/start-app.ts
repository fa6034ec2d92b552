import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Abstract, DynamicModule, INestApplication } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { NestLog, startTracing } from '../../observability/index.js';
import { IdentitySource, TokenIdentitySource } from '../server/authentication.js';
import { BodyBudget, type BodyLimits } from '../server/body-budget.js';
import type { Core, CoreOptions } from './core.js';
import { makeCore, rootOf } from './core.js';
import type { HttpLimits } from '../server/fastify-server.js';
import { comesFromHere } from '../server/from-here.js';
import { answerEarly } from './early-answers.js';
import type { EarlyAnswers } from './early-answers.js';
import { createHttpServer, httpLimits } from '../server/fastify-server.js';
import { EnvelopeFilter, ReadyServerAdapter } from '../server/nest-adapter.js';
import { listenFault } from './listen-fault.js';
import { LocalRateLimiter, RateLimiter, UnknownKeys } from '../server/rate-limit.js';

export type AppModules = NonNullable<DynamicModule['imports']>;

export interface StartOptions extends CoreOptions {
  /** False in the gateway: bodies go on to a service that checks them. */
  checksBodies?: boolean;
  /** Exact paths between services that the contract does not have. */
  internalPaths?: readonly string[];
  limits?: Partial<HttpLimits>;
  /** Bytes of bodies that are being received at once; rule L21 by default. */
  bodies?: BodyLimits;
  /** Adds routes that no controller has, such as a proxy's; each is bound to the contract like any other. */
  routes?: (server: FastifyInstance, core: Core) => void;
  /** How long a stop waits for requests that are being worked on. */
  graceMs?: number;
}

export interface RunningApp {
  readonly core: Core;
  readonly nest: INestApplication;
  /** Where it listens. */
  readonly url: string;
  /** Streams are rotated, requests finish within the grace, everything closes. A second call waits for the first. */
  stop(): Promise<void>;
}

export type ModulesOf = AppModules | ((core: Core) => AppModules | Promise<AppModules>);

/** A process without engines starts at once and answers then. */
const nothingEarly: EarlyAnswers = { close: () => Promise.resolve() };

/** No credential is known before the modules are there. */
const nobody: IdentitySource = { identify: () => Promise.resolve(null) };

const defaultGraceMs = 30_000;
/**
 * Load balancers still send requests here for a while after readiness is gone: they are taken for this long, unless
 * none came lately.
 */
const drainMs = 2_000;
/** Before that, others learn that this process gives its share up. */
const handoverMsMax = 3_000;

/**
 * Starts an app and resolves when it listens.
 *
 * Takes    the app's name, its modules (or how to make them from the core), options.
 * Refuses  settings with faults, a route that the contract does not have, a module that cannot start: it throws and
 *          nothing listens.
 */
export async function startApp(name: string, modules: ModulesOf, options: StartOptions): Promise<RunningApp> {
  const core = makeCore(name, options);
  await traceFrom(core);
  const early = options.composition === 'fleet' ? await answerEarly(core) : nothingEarly;
  try {
    return await startServing(core, modules, early, options);
  } finally {
    await early.close();
  }
}

async function startServing(
  core: Core,
  modules: ModulesOf,
  early: EarlyAnswers,
  options: StartOptions,
): Promise<RunningApp> {
  const late: { identities: IdentitySource | null; limiter: RateLimiter | null } = { identities: null, limiter: null };
  const bodies = new BodyBudget(options.bodies);
  core.metrics.observedGauge(
    'http_bodies_receiving_bytes',
    'Bytes of request bodies that are being received, as taken before they are read.',
    () => bodies.bytes,
  );
  const server = createHttpServer({
    contract: core.contract,
    log: core.log,
    metrics: core.metrics,
    inFlight: core.inFlight,
    limits: { ...httpLimits, ...options.limits },
    internalPaths: options.internalPaths ?? [],
    trustedProxies: core.settings.trustedProxies,
    corsOrigins: core.settings.corsOrigins,
    checksBodies: options.checksBodies ?? true,
    charges: core.charges,
    bodies,
    unknownKeys: new UnknownKeys(core.clock),
    sealedPaths: new UnknownKeys(core.clock),
    isOpen: (request) => (core.firstKey?.isOpen ?? false) && comesFromHere(request),
    identities: () => late.identities ?? nobody,
    limiter: () => late.limiter,
  });
  const nest = await NestFactory.create(
    rootOf(core, typeof modules === 'function' ? await modules(core) : modules),
    new ReadyServerAdapter(server),
    { abortOnError: false, bodyParser: false, forceCloseConnections: true, logger: new NestLog(core.log) },
  );
  nest.useGlobalFilters(new EnvelopeFilter(core.log));
  options.routes?.(server, core);
  const takesKeys = (options.identities ?? 'keys') === 'keys';
  late.identities = takesKeys
    ? provided(nest, IdentitySource)
    : new TokenIdentitySource(core.identityTokens, core.app.name);
  if (!late.identities) throw new Error('nothing says who asks: no module provides IdentitySource');
  late.limiter = takesKeys ? (provided(nest, RateLimiter) ?? localLimiter(core)) : null;
  if (late.limiter) core.charges.through(late.limiter);
  const metricsServer = await listenOrClose(core, nest, early);
  const address = server.server.address() as AddressInfo;
  const url = `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
  core.log.info('listening', { url });
  let stopping: Promise<void> | null = null;
  return {
    core,
    nest,
    url,
    stop: () => {
      stopping ??= stopApp({ core, nest, server, metricsServer, graceMs: options.graceMs ?? defaultGraceMs });
      return stopping;
    },
  };
}

/** Before anything that could be traced is made. */
async function traceFrom({ app, settings, log, closers }: Core): Promise<void> {
  if (settings.otlpEndpoint === null) return;
  closers.push(
    await startTracing({
      endpoint: settings.otlpEndpoint,
      service: app.name,
      version: app.version,
      onTrouble: (message) => {
        log.warn('traces', { reason: message });
      },
    }),
  );
}

/** What cannot listen gives its modules' resources back before it fails. */
async function listenOrClose(core: Core, nest: INestApplication, early: EarlyAnswers): Promise<Server | null> {
  try {
    await nest.init();
    await early.close();
    const { port, host } = core.settings;
    await nest.listen(port, host).catch((error: unknown) => {
      throw listenFault(error, { setting: 'SVC_PORT', port, host });
    });
    return await listenForMetrics(core);
  } catch (error) {
    await nest.close();
    throw error;
  }
}

/** What some module provides under a token, or null; asking Nest for an absent one would log an error. */
function provided<T>(nest: INestApplication, token: Abstract<T>): T | null {
  for (const module of nest.get(ModulesContainer).values()) {
    if (module.providers.has(token)) return nest.get<T>(token, { strict: false });
  }
  return null;
}

function localLimiter({ settings, clock }: Core): RateLimiter {
  return new LocalRateLimiter(
    { keyPerMinute: settings.rateLimitKeyRpm, orgPerMinute: settings.rateLimitOrgRpm },
    clock,
  );
}

interface Stopping {
  core: Core;
  nest: INestApplication;
  server: FastifyInstance;
  metricsServer: Server | null;
  graceMs: number;
}

async function stopApp({ core, nest, server, metricsServer, graceMs }: Stopping): Promise<void> {
  core.log.info('stopping', { count: core.inFlight.count });
  for (const drain of core.drains) await within(drain(), Math.min(handoverMsMax, graceMs));
  core.readiness.stop();
  core.inFlight.stop();
  core.streams.stop();
  await core.sockets.stop();
  await within(core.inFlight.quiet(), Math.min(drainMs, graceMs));
  server.server.close();
  await within(core.inFlight.idle(), graceMs);
  if (core.inFlight.count > 0) core.log.warn('requests were cut off', { count: core.inFlight.count });
  await nest.close();
  for (const close of core.closers) await close();
  metricsServer?.closeAllConnections();
  metricsServer?.close();
  core.log.info('stopped');
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

/** `/metrics` on a port of its own, reachable like the public API's host says. */
async function listenForMetrics({ settings, metrics }: Core): Promise<Server | null> {
  const { metricsPort } = settings;
  if (metricsPort === null) return null;
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(listenFault(error, { setting: 'SVC_METRICS_PORT', port: metricsPort, host: settings.host }) as Error);
    });
    server.listen(metricsPort, settings.host, resolve);
  });
  return server;
}
