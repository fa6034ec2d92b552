import { fastify } from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '@aos/kernel';
import type { Metrics } from '../../observability/metrics.js';
import type { Contract } from '../contract/contract.js';
import { bodyBytesMax, largeBodyBytesMax } from '../contract/contract.js';
import { IgnoredMembers } from '../contract/ignored.js';
import { Validators } from '../contract/validators.js';
import { isTracing } from '../../observability/tracing.js';
import { answerClientError, answerError, finishAnswer, noteAnswer } from './answers.js';
import { clientAddress, trustedBy } from './client-address.js';
import type { RequestPipelineParts } from './request-pipeline.js';
import { RequestPipeline, headersMax, newRequestState, pathOfTarget } from './request-pipeline.js';
import { RefusalWithHeaders, requestIdFrom } from './envelope.js';
import { isJsonContentType, parseJsonBody } from './json-body.js';
import { traceRequests } from './request-spans.js';
import { ReceivingRequests } from './receiving-requests.js';
import { RouteTable } from './route-table.js';
import { InFlight } from './in-flight.js';
import { applyCors } from './cors.js';
import { routeUpgrades, upgradeFilter } from './upgrades.js';

/** Bounds of control S17 in milliseconds and bytes; tests shorten the times. */
export interface HttpLimits {
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  /** As the one before, of an operation that takes files (rule TE2). */
  uploadTimeoutMs: number;
  /** How often the two above are looked at. */
  checkIntervalMs: number;
  /** A connection on which nothing moves is closed; longer than any answer may take. */
  idleTimeoutMs: number;
  keepAliveTimeoutMs: number;
  headerBytesMax: number;
}

export const httpLimits: HttpLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  uploadTimeoutMs: 17 * 60_000,
  checkIntervalMs: 1_000,
  idleTimeoutMs: 180_000,
  keepAliveTimeoutMs: 72_000,
  headerBytesMax: 16 * 1024,
};

export interface HttpServerParts extends Omit<RequestPipelineParts, 'validators' | 'ignored' | 'refuseUnknown'> {
  contract: Contract;
  metrics: Metrics;
  limits: HttpLimits;
  /** Exact paths between services that the contract does not have; they take signed identities. */
  internalPaths: readonly string[];
  trustedProxies: readonly string[];
  corsOrigins: readonly string[];
  inFlight: InFlight;
}

/**
 * The HTTP server of every app: routes come from Nest afterwards, everything before and after them is here.
 * Source: controls S4, S5, S9, S10, S11, S12, S13, S14, S15, S16, S17, S18, S19, S20, S21, S22, S23, S24, S41; rules
 *         G10, G11, G12, G13, G14, G15, G24, L2, L3.
 */
export function createHttpServer(parts: HttpServerParts): FastifyInstance {
  const { contract, limits, log } = parts;
  const table = new RouteTable(contract, new Set(parts.internalPaths));
  const validators = Validators.of(contract);
  const refuseUnknown = unknownRefuser(table);
  const pipeline = new RequestPipeline({ ...parts, validators, ignored: new IgnoredMembers(contract), refuseUnknown });
  const answer = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    answerError(error, request, reply, log);
  };
  const server = fastify({
    logger: false,
    bodyLimit: bodyBytesMax,
    requestTimeout: limits.uploadTimeoutMs,
    connectionTimeout: limits.idleTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    http: {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
      maxHeaderSize: limits.headerBytesMax,
      requireHostHeader: false,
      shouldUpgradeCallback: upgradeFilter(contract),
    },
    genReqId: (raw) => requestIdFrom(raw.headers['x-request-id']),
    trustProxy: parts.trustedProxies.length === 0 ? false : trustedBy(parts.trustedProxies),
    routerOptions: {
      maxParamLength: 1_024,
      caseSensitive: true,
      ignoreTrailingSlash: false,
      ignoreDuplicateSlashes: false,
    },
    exposeHeadRoutes: false,
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      request.svc = newRequestState(null);
      answer(error, request, reply);
    },
  });
  server.server.maxHeadersCount = headersMax + 1;
  // Node answers an expectation that it does not know by itself, without an id and an envelope (rules G12, G14).
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));
  server.decorateRequest('svc', null);
  if (isTracing()) traceRequests(server);
  routeUpgrades(server);
  bindRoutes(server, table);
  acceptBodies(server, parts.checksBodies);
  if (parts.corsOrigins.length > 0) applyCors(server, parts.corsOrigins);
  passThrough(server, pipeline, parts);
  observe(server, parts);
  server.setErrorHandler(answer);
  server.setNotFoundHandler(refuseUnknown);
  return server;
}

/** What every request passes: one hook of each kind, as every further one costs each request some calls (ADR 64). */
function passThrough(server: FastifyInstance, pipeline: RequestPipeline, { limits, inFlight }: HttpServerParts): void {
  const receiving = new ReceivingRequests(limits);
  server.addHook('onRequest', (request, reply, done) => {
    noteAnswer(request.raw.socket, reply.raw);
    inFlight.began(reply.raw);
    if (inFlight.isStopping) reply.header('connection', 'close');
    receiving.begin(request);
    const entered = pipeline.enter(request, reply);
    if (entered instanceof Promise) entered.then(() => done(), done);
    else done();
  });
  server.addHook('preValidation', (request, reply, done) => {
    receiving.received(request);
    pipeline.checkShape(request, reply);
    done();
  });
  server.addHook('onClose', (_server, done) => {
    receiving.close();
    done();
  });
  server.addHook('onSend', (request, reply, payload, done) => {
    const finished = finishAnswer(request, reply, payload);
    if (finished instanceof Promise) finished.then((bytes) => done(null, bytes), done);
    else done(null, finished);
  });
}

/** Rule G24. */
function unknownRefuser(table: RouteTable): (request: FastifyRequest) => never {
  return (request) => {
    const path = pathOfTarget(request.raw.url);
    const methods = table.allowedMethods(request.method, path);
    if (methods.length === 0 || methods.includes(request.method))
      throw new Refusal('not_found', {}, 'no such path or resource');
    throw new RefusalWithHeaders(
      'method_not_allowed',
      { allow: methods.join(', ') },
      {},
      `${request.method} is not a method of this path`,
    );
  };
}

/** Every route gets its operation of the contract, or the process does not start. */
function bindRoutes(server: FastifyInstance, table: RouteTable): void {
  server.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) {
      const bound = table.bind(method, route.url);
      route.config = { ...route.config, bound };
      route.bodyLimit = bound.operation?.bodyBytesMax ?? largeBodyBytesMax;
      if (
        method === 'GET' &&
        bound.operation &&
        !bound.operation.isEventStream &&
        !bound.operation.isSocket &&
        bound.operation.successStatuses.length > 0
      ) {
        server.route({ ...route, method: 'HEAD' });
      }
    }
  });
}

function acceptBodies(server: FastifyInstance, parses: boolean): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(/^multipart\/form-data/i, (_request, payload, done) => {
    done(null, payload);
  });
  if (!parses) {
    // Whole and within the limit before it goes on: a slow client keeps no service busy, and what was not sent can be
    // sent to another replica.
    server.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
      if (request.svc) request.svc.bodyBytes = body.length;
      done(null, body);
    });
    return;
  }
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer;
    if (request.svc) request.svc.bodyBytes = bytes.length;
    if (bytes.length > 0 && !isJsonContentType(request.headers['content-type'])) {
      done(new Refusal('unsupported_media_type', {}, 'the body must be application/json'));
      return;
    }
    try {
      done(null, parseJsonBody(bytes));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** One line and one measurement per request; neither holds the query, headers or body. */
function observe(server: FastifyInstance, { log, metrics, inFlight }: HttpServerParts): void {
  const seconds = metrics.histogram(
    'http_request_duration_seconds',
    'Time from the headers to the end of the answer.',
    ['method', 'route', 'status'],
  );
  server.addHook('onResponse', (request, reply, done) => {
    const { route, identity, startedAt } = request.svc ?? newRequestState(null);
    const durationMs = performance.now() - startedAt;
    const path = route?.operation?.isSealedPath ? route.path : pathOfTarget(request.raw.url);
    if (inFlight.includes(reply.raw)) {
      // a stream lasts as long as its reader likes
      seconds.observe(durationMs / 1000, {
        method: request.method,
        route: route?.path ?? 'none',
        status: String(reply.raw.statusCode),
      });
    }
    log[route?.operation?.isPublic ? 'debug' : 'info']('request', {
      request_id: request.id,
      method: request.method,
      path: path.slice(0, 256),
      ...(route ? { route: route.path } : {}),
      status: reply.raw.statusCode,
      duration_ms: Math.round(durationMs * 10) / 10,
      ip: clientAddress(request),
      ...(identity
        ? { org_id: identity.orgId, principal_id: identity.principalId, api_key_id: identity.apiKeyId }
        : {}),
    });
    done();
  });
}
