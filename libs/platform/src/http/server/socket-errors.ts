import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RefusalCode } from '@aos/kernel';
import { plain, requestIdFrom } from './envelope.js';

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
