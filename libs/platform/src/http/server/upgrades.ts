import { ServerResponse, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Contract } from '../contract/contract.js';

/** A connection that its client wants to speak WebSocket on; nothing was answered yet. */
export interface Upgrade {
  socket: Duplex;
  /** What the client sent behind its request. */
  head: Buffer;
}

const pending = new WeakMap<IncomingMessage, Upgrade>();
const bearerPrefix = 'bearer.';

/**
 * Whether a request asks for a WebSocket on a path that has one; any other `Upgrade` header is passed over, as HTTP
 * allows.
 */
export function upgradeFilter({ operations }: Pick<Contract, 'operations'>): (request: IncomingMessage) => boolean {
  const paths = new Set(operations.filter(({ isSocket }) => isSocket).map(({ path }) => path));
  return ({ method, url, headers }) =>
    method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && paths.has(url?.split('?', 1)[0] ?? '');
}

/**
 * Sends requests for a WebSocket through the same pipeline as all others: what is refused there is answered as HTTP,
 * and the connection ends.
 */
export function routeUpgrades(server: FastifyInstance): void {
  server.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => {
      socket.destroy();
    });
    bearerFromProtocols(request.headers);
    pending.set(request, { socket, head });
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Socket);
    response.once('finish', () => {
      (socket as Socket).destroySoon();
    });
    server.routing(request, response);
  });
}

/** The connection of a request that asks for a WebSocket; null for any other request. */
export function upgradeOf(request: IncomingMessage): Upgrade | null {
  return pending.get(request) ?? null;
}

/**
 * A client that cannot set headers names its key as a subprotocol, `bearer.<key>`: it becomes the credential and is not
 * offered on.
 *
 * Source   rule C40.
 */
export function bearerFromProtocols(headers: IncomingHttpHeaders): void {
  const offered = headers['sec-websocket-protocol'];
  if (offered === undefined) return;
  const protocols = offered.split(',').map((protocol) => protocol.trim());
  const key = protocols.find((protocol) => protocol.startsWith(bearerPrefix))?.slice(bearerPrefix.length);
  if (key === undefined) return;
  const others = protocols.filter((protocol) => !protocol.startsWith(bearerPrefix) && protocol !== '');
  if (others.length > 0) headers['sec-websocket-protocol'] = others.join(', ');
  else delete headers['sec-websocket-protocol'];
  headers.authorization ??= `Bearer ${key}`;
}
