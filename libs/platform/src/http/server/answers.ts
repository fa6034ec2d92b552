import type { ServerResponse } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { gzip } from 'node:zlib';
import { promisify } from 'node:util';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { StoreUnavailable, type RefusalCode } from '@aos/kernel';
import type { Log, LogFields } from '../../observability/log.js';
import type { ErrorAnswer } from './envelope.js';
import { answerFor, plain, requestIdFrom } from './envelope.js';
import type { Soon } from './when-there.js';

const compress = promisify(gzip);
const compressedBytesMin = 1_024;
/**
 * What a client may still send of a body that was refused, so that it reads the answer instead of a reset connection.
 */
const lingerBytesMax = 32 * 1024 * 1024;
const lingerMs = 2_000;

/** Sends the envelope for anything that was thrown; the last word on every failed request. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): void {
  if (isBrokenOff(request, error)) {
    log.debug('body broken off', named(request));
    reply.hijack();
    reply.raw.destroy();
    return;
  }
  const answer = answerFor(error, request.routeOptions.bodyLimit ?? 0);
  if (answer.isUnexpected) log.error('request failed', { ...named(request), error });
  else if (error instanceof StoreUnavailable)
    log.warn('request could not be served', { ...named(request), reason: error.message });
  if (reply.sent || reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  reply.header('x-request-id', request.id).headers(answer.headers);
  const isUnread = answer.code === 'payload_too_large' || answer.code === 'request_timeout' || isUnreadFile(request);
  if (isUnread) sendAndClose(answer, request, reply);
  else reply.code(answer.status).type('application/json; charset=utf-8').send(answer.body);
}

/** A file that is refused is not read to its end: it may be large. */
function isUnreadFile({ raw, svc }: FastifyRequest): boolean {
  return !raw.complete && svc?.route?.operation?.body?.mediaType === 'multipart/form-data';
}

/** The client left while it sent its body: there is no fault, and nothing to answer. */
function isBrokenOff({ raw }: FastifyRequest, error: unknown): boolean {
  return !raw.complete && raw.destroyed && (error as NodeJS.ErrnoException | null)?.code === 'ECONNRESET';
}

function named(request: FastifyRequest): LogFields {
  const { identity, route } = request.svc ?? {};
  return {
    request_id: request.id,
    method: request.method,
    ...(route ? { route: route.path } : {}),
    ...(identity ? { org_id: identity.orgId } : {}),
  };
}

/** Writes the whole answer, lets the rest of the body run out within bounds, then closes the connection. */
function sendAndClose(answer: ErrorAnswer, request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = reply;
  reply.hijack();
  const headers: Record<string, string | number | string[]> = {};
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) headers[name] = value;
  raw.writeHead(answer.status, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(answer.body),
    connection: 'close',
  });
  if (request.raw.readableEnded || request.raw.destroyed) {
    raw.end(answer.body);
    return;
  }
  raw.write(answer.body);
  letRunOut(request.raw, () => raw.end());
}

/** Reads on within bounds, so that the sender comes to read its answer; then calls `over`. */
export function letRunOut(body: Readable, over: () => void): void {
  let bytes = 0;
  const finish = () => {
    clearTimeout(timer);
    body.off('data', count).off('end', finish).off('error', finish).off('close', finish);
    over();
  };
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > lingerBytesMax) finish();
  };
  const timer = setTimeout(finish, lingerMs);
  timer.unref();
  body.on('data', count).once('end', finish).once('error', finish).once('close', finish);
  body.resume();
}

/**
 * `onSend`: puts the contract's success status where a controller left the framework's, and compresses what the client
 * wants compressed; only that has to be waited for.
 */
export function finishAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown): Soon<unknown> {
  const allowed = request.svc?.route?.operation?.successStatuses ?? [];
  const [first] = allowed;
  if (first !== undefined && reply.statusCode >= 200 && reply.statusCode < 300 && !allowed.includes(reply.statusCode))
    reply.code(first);
  if (reply.statusCode === 204) {
    reply.removeHeader('content-type');
    reply.removeHeader('content-length');
    return undefined;
  }
  if (!isCompressible(reply, payload)) return payload;
  const varies = reply.getHeader('vary');
  reply.header('vary', typeof varies === 'string' ? `${varies}, accept-encoding` : 'accept-encoding');
  if (request.method === 'HEAD' || !wantsGzip(request.headers['accept-encoding'])) return payload;
  return compressed(reply, payload);
}

function isCompressible(reply: FastifyReply, payload: unknown): payload is string {
  if (typeof payload !== 'string' || payload.length < compressedBytesMin) return false;
  const type = reply.getHeader('content-type');
  return typeof type === 'string' && type.startsWith('application/json');
}

async function compressed(reply: FastifyReply, payload: string): Promise<Buffer> {
  const bytes = await compress(payload);
  reply.header('content-encoding', 'gzip');
  reply.header('content-length', bytes.length);
  return bytes;
}

function wantsGzip(accepted: string | string[] | undefined): boolean {
  if (typeof accepted !== 'string') return false;
  return accepted
    .toLowerCase()
    .split(',')
    .some((part) => {
      const [coding, ...parameters] = part.split(';').map((piece) => piece.trim());
      return (
        (coding === 'gzip' || coding === '*') && !parameters.some((parameter) => /^q=0(?:\.0{1,3})?$/.test(parameter))
      );
    });
}

/** The answer in progress of each connection: no second answer is written into one. */
const inProgress = new WeakMap<Duplex, ServerResponse>();

export function noteAnswer(socket: Duplex, response: ServerResponse): void {
  inProgress.set(socket, response);
}

/**
 * Answers what the HTTP parser refuses before there is a request: slow or fat headers, bytes that are not HTTP, bodies
 * that stop coming. The envelope is written to the socket itself, then the connection ends.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const response = inProgress.get(socket);
  const isAnswering = response !== undefined && response.headersSent && !response.writableFinished;
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
    socket.destroy();
    return;
  }
  const { status, body } = plain(codeFor(error.code), messageFor(error.code));
  const head = [
    `HTTP/1.1 ${status} ${reason[status] ?? 'Bad Request'}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestIdFrom(undefined)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

const reason: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
};

function codeFor(code: string | undefined): RefusalCode {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'request_timeout';
    case 'HPE_HEADER_OVERFLOW':
      return 'headers_too_large';
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 'payload_too_large';
    default:
      return 'bad_request';
  }
}

function messageFor(code: string | undefined): string {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'the request did not arrive in time';
    case 'HPE_HEADER_OVERFLOW':
      return 'the request headers are over 16 KiB';
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 'chunk extensions are too long';
    default:
      return 'the request is not valid HTTP';
  }
}
