import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, badRequest, type Identity } from '@aos/kernel';
import type { Log } from '../../observability/log.js';
import { apiKeyPrefix } from '../../keys/api-key-form.js';
import { bearerToken } from '../../keys/browser-tokens.js';
import type { Operation } from '../contract/contract.js';
import { ignoredHeader, type IgnoredMembers } from '../contract/ignored.js';
import type { QueryValues, Validators } from '../contract/validators.js';
import type { Credentials, IdentitySource } from './authentication.js';
import { requireTokenOrigin, requireTokenQuery, requireTokenVerb } from './browser-token-gate.js';
import { clientAddress } from './client-address.js';
import { bodyCost, type BodyBudget } from './body-budget.js';
import { identityHeader, bearerKey, requirePermission, unauthorized } from './authentication.js';
import { isJsonContentType } from './json-body.js';
import type { RateCharges } from './rate-charges.js';
import type { RateLimiter, UnknownKeys } from './rate-limit.js';
import { rateHeaders, rateLimited } from './rate-limit.js';
import { announcesBody } from './receiving-requests.js';
import { RequestTurns } from './request-turns.js';
import type { BoundRoute } from './route-table.js';
import { whenThere, type Soon } from './when-there.js';

/** Header lines of one request (control S17). */
export const headersMax = 100;

/** What the hooks learn about a request on its way to a controller. */
export interface RequestState {
  identity: Identity | null;
  route: BoundRoute | null;
  query: QueryValues;
  bodyBytes: number;
  /** Gives back what the body takes of the budget; null without a body. */
  bodyReceived: (() => void) | null;
  startedAt: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Never null after the hooks ran. */
    svc: RequestState | null;
  }
  interface FastifyContextConfig {
    bound?: BoundRoute;
  }
}

export function newRequestState(route: BoundRoute | null): RequestState {
  return { identity: null, route, query: {}, bodyBytes: 0, bodyReceived: null, startedAt: performance.now() };
}

export interface RequestPipelineParts {
  identities: () => IdentitySource;
  limiter: () => RateLimiter | null;
  charges: RateCharges;
  bodies: BodyBudget;
  unknownKeys: UnknownKeys;
  /** As the ones before, of paths that are credentials themselves. */
  sealedPaths: UnknownKeys;
  validators: Validators;
  ignored: IgnoredMembers;
  /** Throws what an unknown path, or an unknown method of a known one, is answered with. */
  refuseUnknown: (request: FastifyRequest) => never;
  /** Whether hidden operations are open to a request. */
  isOpen: (request: FastifyRequest) => boolean;
  log: Log;
  /** False where bodies go on to another service, which checks them. */
  checksBodies: boolean;
}

/** What every request passes before its controller: form, identity, rate, permission, then the contract's schemas. */
export class RequestPipeline {
  private readonly turns = new RequestTurns();

  constructor(private readonly parts: RequestPipelineParts) {}

  /**
   * `onRequest`: before the body is read. What cannot be a body is not read either, nor one that the budget has no
   * bytes for (rule L21). Where nothing has to be waited for, no promise is made (ADR 64).
   */
  enter(request: FastifyRequest, reply: FastifyReply): Soon<undefined> {
    const route = request.routeOptions.config.bound ?? null;
    const state = newRequestState(route);
    request.svc = state;
    reply.header('x-request-id', request.id);
    checkForm(request, reply);
    if (!route || !isPathTarget(request.raw.url) || hasEmptyParameter(request))
      return this.parts.refuseUnknown(request);
    const { operation } = route;
    if (operation?.isHidden && !this.parts.isOpen(request)) return this.parts.refuseUnknown(request);
    if (operation?.isSealedPath) this.admitSealedPath(request, reply);
    if (operation?.isPublic) return this.admitBody(request, reply);
    return whenThere(this.authenticate(request), (identity) => {
      state.identity = identity;
      return whenThere(this.limitRate(identity, request, reply), () =>
        whenThere(this.turns.enter(identity.orgId, state.startedAt), () => {
          if (operation) {
            this.authorize(identity, operation, request);
            this.parts.validators.checkPath(operation, paramsOf(request));
          }
          return this.admitBody(request, reply);
        }),
      );
    });
  }

  /** Where callers come in, an address that was wrong 60 times in a minute has to wait (rule TE131). */
  private admitSealedPath(request: FastifyRequest, { raw }: FastifyReply): void {
    if (!this.parts.limiter()) return; // a service behind a gateway, which counts
    const ip = clientAddress(request);
    this.parts.sealedPaths.admit(ip);
    raw.once('finish', () => {
      if (raw.statusCode === 404) this.parts.sealedPaths.note(ip);
    });
  }

  private admitBody(request: FastifyRequest, reply: FastifyReply): undefined {
    if (!announcesBody(request)) return;
    checkBodyType(request);
    const {
      svc,
      routeOptions: { bodyLimit = 0 },
    } = request;
    const operation = svc?.route?.operation;
    const isHeldWhole = operation && operation.body?.mediaType !== 'multipart/form-data';
    if (!svc || !isHeldWhole || reply.raw.destroyed) return;
    svc.bodyReceived = this.parts.bodies.take(svc.identity, announcedBytes(request) ?? bodyLimit);
    reply.raw.once('close', svc.bodyReceived);
  }

  /** `preValidation`: after the body is parsed. */
  checkShape(request: FastifyRequest, reply: FastifyReply): void {
    const { svc } = request;
    const operation = svc?.route?.operation;
    if (!operation || !svc) return;
    svc.bodyReceived?.();
    if (svc.identity && this.parts.limiter() && announcedBytes(request) === null)
      this.parts.charges.add(svc.identity, bodyCost(svc.bodyBytes) - 1);
    svc.query = this.parts.validators.checkQuery(
      operation,
      request.query as Record<string, string | string[] | undefined>,
    );
    if (svc.identity?.token) requireTokenQuery(operation, svc.query);
    if (!this.parts.checksBodies) return;
    this.sayIgnored(operation, request, reply);
    this.parts.validators.checkBody(operation, request.body, svc.bodyBytes);
  }

  /** Rules G8, G29. */
  private sayIgnored(operation: Operation, request: FastifyRequest, reply: FastifyReply): void {
    const ignored = this.parts.ignored.of(operation, request.body, request.query as Record<string, unknown>).join(', ');
    if (ignored === '') return;
    reply.header(ignoredHeader, ignored);
    this.parts.log.debug('request.ignored', {
      request_id: request.id,
      operation: operation.operationId,
      name: ignored,
    });
  }

  /** Who asks, by the request's credentials. */
  private authenticate(request: FastifyRequest): Soon<Identity> {
    const { authorization } = request.headers;
    const token = request.headers[identityHeader];
    const credentials = {
      ip: clientAddress(request),
      requestId: request.id,
      connection: request.raw.socket,
      ...(authorization === undefined ? {} : { authorization }),
      ...(typeof token === 'string' ? { identityToken: token } : {}),
    };
    return whenThere(
      this.parts.identities().identify(credentials),
      (identity) => identity ?? this.refuseCredentials(credentials),
    );
  }

  private refuseCredentials({ ip, requestId, authorization }: Credentials): never {
    const key = bearerToken(authorization) === null ? bearerKey(authorization) : null;
    this.parts.log.info('auth.failed', {
      request_id: requestId,
      ip,
      ...(key === null ? {} : { key_prefix: apiKeyPrefix(key) }),
    });
    if (key !== null) this.parts.unknownKeys.count(ip);
    throw unauthorized();
  }

  /** Takes what the request costs from its key's and its organization's rate. */
  private limitRate(identity: Identity, request: FastifyRequest, reply: FastifyReply): Soon<undefined> {
    const limiter = this.parts.limiter();
    if (!limiter) return undefined;
    return whenThere(limiter.take(identity, bodyCost(announcedBytes(request) ?? 0)), (standing) => {
      if (standing && !standing.isAllowed) throw rateLimited(standing);
      if (standing) reply.headers(rateHeaders(standing));
      return undefined;
    });
  }

  /**
   * Whether the caller has the permission that the contract names for the operation; with a browser token also whether
   * the token may do it, and from this page.
   */
  private authorize(identity: Identity, operation: Operation, { headers }: FastifyRequest): void {
    if (identity.token) {
      requireTokenOrigin(identity.token, headers.origin);
      requireTokenVerb(operation, identity.token, headers.accept);
    }
    requirePermission(operation, identity);
  }
}

function paramsOf({ params }: FastifyRequest): Record<string, string> {
  return (params ?? {}) as Record<string, string>;
}

function hasEmptyParameter(request: FastifyRequest): boolean {
  const params = paramsOf(request);
  for (const name in params) if (params[name] === '' && name !== '*') return true;
  return false;
}

const slash = 0x2f;
const addressTarget = /^https?:\/\/[^/?]+(?:\/|$|\?[^/]*$)/i;

/**
 * Whether the target of a request is a path, or the address of one. The router takes other texts too, with any first
 * character in place of the slash.
 */
function isPathTarget(target = ''): boolean {
  return target.charCodeAt(0) === slash || (addressTarget.test(target) && URL.canParse(target));
}

/** The path of a target as the router takes it: without an address before it, a query or a fragment. */
export function pathOfTarget(target = ''): string {
  const isAddress = target.charCodeAt(0) !== slash && isPathTarget(target);
  const rest = isAddress ? target.replace(/^https?:\/\/[^/?]+/i, '') : target;
  const path = rest.split(/[?#]/, 1)[0] ?? '';
  return isAddress && path === '' ? '/' : path;
}

function checkForm(request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = request;
  if (raw.rawHeaders.length / 2 > headersMax) {
    reply.header('connection', 'close');
    throw new Refusal('headers_too_large', {}, `more than ${headersMax} headers`);
  }
  if (raw.headers.host === undefined && raw.httpVersionMajor === 1 && raw.httpVersionMinor >= 1) {
    reply.header('connection', 'close');
    throw badRequest([{ path: '', message: 'the Host header is missing' }]);
  }
  if (hasTwoHosts(raw.rawHeaders)) {
    reply.header('connection', 'close');
    throw badRequest([{ path: '', message: 'there are two Host headers' }]);
  }
}

/** Node keeps the first of several: a proxy before this service may have gone by another. */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

/**
 * Bytes of the body as its header says; null when nothing says so. What is over the limit is refused without being
 * read: it counts for nothing.
 */
function announcedBytes({ headers, routeOptions: { bodyLimit = 0 } }: FastifyRequest): number | null {
  const length = headers['content-length'];
  if (length === undefined) return headers['transfer-encoding'] === undefined ? 0 : null;
  const bytes = Number(length);
  return bytes > bodyLimit ? 0 : bytes;
}

function checkBodyType(request: FastifyRequest): void {
  const { headers } = request;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw unsupported('content encodings are not accepted');
  const operation = request.svc?.route?.operation;
  if (operation?.body?.mediaType === 'multipart/form-data') {
    if (!/^multipart\/form-data *;/i.test(headers['content-type'] ?? ''))
      throw unsupported('the body must be multipart/form-data');
  } else if (!isJsonContentType(headers['content-type'])) {
    throw unsupported('the body must be application/json');
  }
}

function unsupported(message: string): Refusal {
  return new Refusal('unsupported_media_type', {}, message);
}
