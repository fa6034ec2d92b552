import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WebSocketServer } from 'ws';
import { notFound, type Clock, type Identity, type JsonObject, withoutBlanks } from '@aos/kernel';
import type { Log } from '../../observability/log.js';
import { unauthorized } from '../server/authentication.js';
import { RefusalWithHeaders } from '../server/envelope.js';
import type { InFlight } from '../server/in-flight.js';
import { closingFrameHeaders } from '../streams/closing-frame.js';
import type { StreamSlots } from '../streams/stream-slots.js';
import { closeCode, SocketConnection, type SocketHandlers } from './socket-connection.js';
import { upgradeOf } from '../server/upgrades.js';

export interface SocketOptions {
  /** The subprotocol that is answered when it is offered; a client need not offer any. */
  protocol: string;
  messageBytesMax: number;
  /** What the gateway says last to a client whose key is revoked: it ends the connection by itself. */
  revokedWord?: JsonObject;
}

/** Of the protocol, those that are taken. */
const versions: readonly string[] = ['13', '8'];
const protocolName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** How long connections that were told of the end may take for it. */
const closingFrameMs = 1_000;

/**
 * Every WebSocket of this process: opens them within the caps of streams, ends them when their key is revoked and when
 * the process stops.
 * Source: rule L16; controls S17, S21.
 */
export class Sockets {
  private readonly connections = new Set<SocketConnection>();
  private readonly onEmpty = new Set<() => void>();
  private isStopping = false;

  constructor(
    private readonly slots: StreamSlots,
    private readonly inFlight: InFlight,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  get open(): number {
    return this.connections.size;
  }

  /**
   * Takes a request over and switches its connection to WebSocket. A controller that has called this returns nothing.
   * `opened` is not called when the client left before.
   *
   * Takes    `opened`: called with the connection; gives what handles it.
   * Refuses  `not_found` for a request that asks for no WebSocket, `bad_request` for a handshake that is none,
   *          `rate_limit_exceeded` beyond the caps, `service_unavailable` while the process stops.
   */
  accept(
    request: FastifyRequest,
    reply: FastifyReply,
    { protocol, messageBytesMax, revokedWord }: SocketOptions,
    opened: (connection: SocketConnection) => SocketHandlers,
  ): void {
    const identity = request.svc?.identity;
    if (!identity) throw unauthorized();
    const upgrade = upgradeOf(request.raw);
    if (!upgrade) throw notFound('page: this path speaks WebSocket');
    requireHandshake(request.headers);
    if (this.isStopping)
      throw new RefusalWithHeaders('service_unavailable', { 'retry-after': '1' }, {}, 'the service is stopping');
    const release = this.slots.take(identity);
    const { raw } = reply;
    reply.hijack();
    this.inFlight.ended(raw);
    const { socket, head } = upgrade;
    leaveHttp(raw, socket as Socket);
    socket.once('close', release);
    if (socket.destroyed) {
      // its `close` may have been emitted before
      release();
      return;
    }
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: messageBytesMax,
      handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
    });
    const closingFrame = closingFrameHeaders(request, revokedWord ? JSON.stringify(revokedWord) : '');
    server.on('headers', (headers) => {
      headers.push(...Object.entries(closingFrame).map(([name, value]) => `${name}: ${value}`));
    });
    server.handleUpgrade(request.raw, socket, head, (webSocket) => {
      const connection = new SocketConnection(webSocket, identity, (error) => {
        this.log.error('socket', { error, request_id: request.id });
      });
      this.connections.add(connection);
      const handlers = opened(connection);
      connection.start({
        ...handlers,
        closed: () => {
          this.left(connection);
          handlers.closed();
        },
      });
    });
  }

  /** The keys that hold sockets open here, each with who opened one of them. */
  openKeys(): Map<string, Identity> {
    const keys = new Map<string, Identity>();
    for (const { identity } of this.connections) if (identity.apiKeyId !== null) keys.set(identity.apiKeyId, identity);
    return keys;
  }

  /** Ends the sockets of a key that was revoked. */
  closeKey(apiKeyId: string): void {
    for (const connection of [...this.connections])
      if (connection.identity.apiKeyId === apiKeyId) connection.finish('revoked');
  }

  /** Tells every connection, gives them a moment, and ends them; no more are opened. */
  async stop(): Promise<void> {
    this.isStopping = true;
    for (const connection of [...this.connections]) connection.finish('shutdown');
    await this.empty();
    for (const connection of [...this.connections]) connection.close(closeCode.restart, 'the service is going down');
    await this.empty();
    for (const connection of [...this.connections]) connection.terminate();
  }

  private left(connection: SocketConnection): void {
    this.connections.delete(connection);
    if (this.connections.size > 0) return;
    for (const tell of [...this.onEmpty]) tell();
  }

  private empty(): Promise<void> {
    if (this.connections.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        timer.cancel();
        this.onEmpty.delete(done);
        resolve();
      };
      const timer = this.clock.after(closingFrameMs, done);
      this.onEmpty.add(done);
    });
  }
}

/**
 * What the library would answer by itself, without the envelope: no key or a bad one, another version, protocols that
 * are no list of names or repeat.
 * Source: RFC 6455, section 4.2.1.
 */
function requireHandshake({
  'sec-websocket-key': key = '',
  'sec-websocket-version': version,
  'sec-websocket-protocol': offered,
}: IncomingHttpHeaders): void {
  if (!/^[+/0-9A-Za-z]{22}==$/.test(key)) throw refusedHandshake('Sec-WebSocket-Key must be 16 bytes in base64');
  if (!versions.includes(version ?? ''))
    throw refusedHandshake('Sec-WebSocket-Version must be 13', { 'sec-websocket-version': versions.join(', ') });
  const protocols = offered?.split(',').map(withoutBlanks) ?? [];
  if (!protocols.every((name) => protocolName.test(name)) || new Set(protocols).size < protocols.length)
    throw refusedHandshake('Sec-WebSocket-Protocol must be a list of different names');
}

function refusedHandshake(message: string, headers: Record<string, string> = {}): RefusalWithHeaders {
  return new RefusalWithHeaders('bad_request', headers, {}, message);
}

/** The connection is no answer's any more. */
function leaveHttp(response: ServerResponse, socket: Socket): void {
  response.detachSocket(socket);
  socket.setTimeout(0);
  socket.setNoDelay(true);
}
