import type { FastifyRequest } from 'fastify';
import { identityHeader } from '../server/authentication.js';

/**
 * What the gateway says to the reader of a stream, in base64, when it is the gateway that stops; it never reaches the
 * reader itself.
 */
export const closingFrameHeader = 'x-svc-farewell';

/**
 * Takes a request and the last frame of its stream, encoded, or nothing. Gives the header for the gateway; none when
 * the reader is connected directly.
 */
export function closingFrameHeaders(request: FastifyRequest, encodedFrame: string | Buffer): Record<string, string> {
  return request.headers[identityHeader] === undefined || encodedFrame.length === 0
    ? {}
    : { [closingFrameHeader]: Buffer.from(encodedFrame).toString('base64') };
}
