import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Identity } from '@aos/kernel';
import { closingFrameHeader, letRunOut, RefusalWithHeaders, unauthorized, upgradeOf, wantsStream } from '@aos/platform';
import type { Core, Operation, StreamSlotSource } from '@aos/platform';
import { ownersOf, type ServiceName } from '../routing/services.js';
import { UpstreamDown, type Answer, type Destination, type Upstreams } from '../routing/upstreams.js';
import type { Destinations } from '../routing/destinations.js';
import type { OpenStreams } from './open-streams.js';
import { answeredHeaders, forwardedHeaders } from './forwarded-headers.js';
import { passAtPace } from './pass-at-pace.js';
import { passingBody } from './passing-body.js';
import { PassingStream } from './passing-stream.js';
import { SocketTunnels } from './socket-tunnels.js';

/** Seconds after which a client asks again for a service that is being started. */
const retrySeconds = '1';

/** An answer whose length says that it is no larger is read whole and leaves by one write. */
const smallBytesMax = 64 * 1024;

/** Services whose requests go to the owner of a stream: its writers meet in one process. */
const ownedBy: ReadonlySet<ServiceName> = new Set(['session-service', 'interaction-service']);
/** The service whose writes change permissions. */
const accessOwner: ServiceName = 'access-service';
/** Of those writes the one that changes no permission. */
const changesNothing = 'createToken';

type ProxyCore = Pick<Core, 'contract' | 'identityTokens' | 'slots' | 'inFlight' | 'log' | 'metrics' | 'clock'>;

/**
 * Every operation of the contract that is not the gateway's own, passed to its service with a signed identity in place
 * of the credential.
 *
 * The gateway has checked identity, rate, permission and path before; bodies are checked by the service. Answers go
 * through as they come; a stream leaves the count of requests in progress, takes a slot (rule L16), is ended when its
 * key is revoked, and rotated when the gateway closes. A client that leaves ends its request at the service; a service
 * that breaks off breaks the client's answer off.
 */
export class GatewayProxy {
  private readonly faults;
  private readonly tunnels: SocketTunnels;

  /**
   * `accessChanged`: called with the organization when a write that may have changed who may do what is over, before
   * its caller is answered.
   */
  constructor(
    private readonly core: ProxyCore,
    private readonly upstreams: Upstreams,
    private readonly openStreams: OpenStreams,
    private readonly accessChanged: (orgId: string) => void,
    private readonly slots: StreamSlotSource = core.slots,
    private readonly destinations: Destinations | null = null,
  ) {
    this.faults = core.metrics.counter(
      'gateway_upstream_failures_total',
      'Requests that no replica of a service answered.',
      ['service'],
    );
    this.tunnels = new SocketTunnels(core, upstreams, openStreams, slots);
  }

  /** Adds the routes. Throws when the contract does not map to the services. */
  register(server: FastifyInstance): void {
    for (const [operation, owner] of ownersOf(this.core.contract)) {
      if (owner === 'gateway' || owner === 'nobody') continue;
      server.route({
        method: operation.method,
        url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
        handler: (request, reply) => this.forward(operation, owner, request, reply),
      });
    }
  }

  private async forward(
    operation: Operation,
    service: ServiceName,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const identity = request.svc?.identity ?? null;
    if (!identity && !operation.isPublic) throw unauthorized();
    if (identity && upgradeOf(request.raw)) return this.tunnels.open(service, identity, request, reply);
    const isStream = operation.isEventStream && (operation.method === 'GET' || wantsStream(request.headers.accept));
    if (isStream && this.core.inFlight.isStopping)
      throw new RefusalWithHeaders(
        'service_unavailable',
        { 'retry-after': retrySeconds },
        {},
        'the gateway is closing',
      );
    const left = new AbortController();
    const { raw } = reply;
    const release = isStream && identity ? await this.slots.take(identity) : () => undefined;
    if (raw.destroyed) left.abort();
    raw.once('close', () => {
      release();
      if (!raw.writableFinished) left.abort();
    });
    let answer: Answer;
    try {
      answer = await this.ask(operation, service, identity, request, isStream, left.signal);
    } catch (error) {
      release();
      if (left.signal.aborted) {
        reply.hijack();
        return;
      }
      if (!(error instanceof UpstreamDown)) throw error;
      this.faults.add({ service });
      this.core.log.warn('upstream down', { service, request_id: request.id, error });
      throw new RefusalWithHeaders(
        'service_unavailable',
        { 'retry-after': retrySeconds },
        {},
        'a service does not answer, try again',
      );
    }
    if (raw.destroyed) {
      release();
      answer.body.destroy();
      reply.hijack();
      return;
    }
    const stream =
      isEventStream(answer) && identity ? new PassingStream(answer.body, raw, closingFrameOf(answer)) : null;
    if (stream && identity) this.opened(raw, identity, request, stream);
    else release();
    await this.pass(answer, reply, stream);
  }

  private async ask(
    operation: Operation,
    service: ServiceName,
    identity: Identity | null,
    request: FastifyRequest,
    isStream: boolean,
    signal: AbortSignal,
  ): Promise<Answer> {
    const headers = forwardedHeaders(request.headers, {
      requestId: request.id,
      identityToken: identity && this.core.identityTokens.mint(identity, service),
    });
    if (isSealed(operation) && request.headers.authorization) headers['authorization'] = request.headers.authorization;
    const length = request.headers['content-length'];
    if (isFile(operation) && length !== undefined) headers['content-length'] = length;
    const isSafe = request.method === 'GET' || request.method === 'HEAD';
    const to = await this.destination(operation, service, identity, request);
    const body = isFile(operation) ? passingBody(request.raw) : ((request.body ?? null) as Buffer | null);
    const answer = this.upstreams.send(
      service,
      {
        method: request.method,
        path: request.raw.url ?? '/',
        headers,
        body,
        isRepeatable: isSafe,
        signal,
        ...(to === undefined ? {} : { to }),
      },
      isStream ? 'stream' : 'unary',
    );
    if (isSafe || service !== accessOwner || !identity || operation.operationId === changesNothing) return answer;
    return answer.finally(() => {
      this.accessChanged(identity.orgId);
    }); // also when no answer came: it may have happened
  }

  /** Undefined where any replica will do, or there is only one. */
  private async destination(
    operation: Operation,
    service: ServiceName,
    identity: Identity | null,
    { params, body }: FastifyRequest,
  ): Promise<Destination | undefined> {
    if (!this.destinations || !ownedBy.has(service) || !this.upstreams.hasChoice(service)) return undefined;
    return this.destinations.of({ operation, params: params as Record<string, string | undefined>, body, identity });
  }

  private opened(raw: ServerResponse, identity: Identity, request: FastifyRequest, stream: PassingStream): void {
    this.core.inFlight.ended(raw);
    raw.socket?.setNoDelay(true);
    raw.socket?.setTimeout(0);
    const { authorization } = request.headers;
    const credentials = {
      ip: identity.ip,
      requestId: request.id,
      ...(authorization === undefined ? {} : { authorization }),
    };
    raw.once(
      'close',
      this.openStreams.add(identity, credentials, {
        end: () => {
          raw.destroy();
        },
        rotate: () => {
          stream.rotate();
        },
      }),
    );
  }

  /** Beyond a small answer nothing is kept here: the client's pace is the service's. */
  private async pass(answer: Answer, reply: FastifyReply, stream: PassingStream | null): Promise<void> {
    const own = reply.getHeaders() as Record<string, string>;
    const { raw } = reply;
    const incoming = reply.request.raw;
    reply.hijack();
    const closes = incoming.complete ? {} : { connection: 'close' };
    raw.writeHead(answer.statusCode, { ...answeredHeaders(answer.headers, own), ...closes });
    if (stream) raw.flushHeaders();
    try {
      if (stream) await stream.pass();
      else if (!incoming.complete && !incoming.destroyed) await answerEarly(answer, incoming, raw);
      else if (isSmall(answer)) endWith(raw, await chunksOf(answer.body));
      else await passAtPace(answer.body, raw);
    } catch (error) {
      raw.destroy();
      // One side left. The other side is closed by now, so the fault is only logged.
      this.core.log.debug('answer broken off', { error });
    }
  }
}

/** Without a key: what it is sent with is no credential of ours but a sealed text for the service. */
function isSealed({ isPublic, isSealedPath }: Operation): boolean {
  return isPublic && isSealedPath;
}

function isFile({ body }: Operation): boolean {
  return body?.mediaType === 'multipart/form-data';
}

/** A service answered before it had the whole body: its answer is written, and read by who still sends. */
async function answerEarly(answer: Answer, incoming: IncomingMessage, raw: ServerResponse): Promise<void> {
  raw.write(await answer.body.bytes());
  await new Promise<void>((over) => {
    letRunOut(incoming, over);
  });
  raw.end();
}

/** A pipeline costs more than the bytes of an acknowledgement. */
function isSmall({ headers }: Answer): boolean {
  return Number(headers['content-length'] ?? Infinity) <= smallBytesMax;
}

/** A small answer as it came: to join its pieces would copy each of them. Rejects when it was broken off. */
function chunksOf(body: Readable): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    body.on('data', (chunk: Buffer) => chunks.push(chunk));
    body.on('end', () => {
      resolve(chunks);
    });
    body.on('error', reject);
    body.on('close', () => {
      reject(new Error('closed before its end')); // after the end nothing comes of it
    });
  });
}

/** What is written in one turn of the loop leaves by one write. */
function endWith(raw: ServerResponse, chunks: readonly Buffer[]): void {
  for (const chunk of chunks) raw.write(chunk);
  raw.end();
}

function isEventStream({ headers }: Answer): boolean {
  const type = headers['content-type'];
  return typeof type === 'string' && type.startsWith('text/event-stream');
}

/** What the service wants its reader told when the gateway closes; nothing where the protocol has no such word. */
function closingFrameOf({ headers }: Answer): Buffer {
  const encoded = headers[closingFrameHeader];
  return typeof encoded === 'string' ? Buffer.from(encoded, 'base64') : Buffer.alloc(0);
}
