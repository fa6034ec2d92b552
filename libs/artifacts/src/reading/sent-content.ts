import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ContentAnswer, WantedContent } from './artifact-contents.js';

/** What a request wants of the bytes. */
export function wantedOf({ headers, method }: FastifyRequest): WantedContent {
  const ifRange = headers['if-range'];
  return {
    range: headers.range,
    ifRange: typeof ifRange === 'string' ? ifRange : undefined,
    isHead: method === 'HEAD',
  };
}

export function sendContent({ status, headers, body }: ContentAnswer, reply: FastifyReply): void {
  reply.code(status).headers(headers);
  if (body) reply.send(body);
  else reply.send();
}
