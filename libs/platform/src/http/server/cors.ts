import type { FastifyInstance } from 'fastify';

const preflightSeconds = '600';
const allowedMethods = 'GET, POST, PUT, PATCH, DELETE';
const requestHeaders = 'authorization, content-type, idempotency-key, last-event-id, x-request-id';
const answerHeaders =
  'x-request-id, retry-after, ' +
  'x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, x-ratelimit-scope, x-ratelimit-policy, ' +
  'x-svc-ignored, x-svc-warning, deprecation, sunset';

/** Lets pages of the named origins call; no cookies, no other origin (control S24, rule G20). */
export function applyCors(server: FastifyInstance, origins: readonly string[]): void {
  const allowed = new Set(origins);
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('vary', 'origin');
    const { origin } = request.headers;
    if (typeof origin !== 'string' || !allowed.has(origin)) {
      done();
      return;
    }
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', answerHeaders);
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
      reply
        .header('access-control-allow-methods', allowedMethods)
        .header('access-control-allow-headers', requestHeaders)
        .header('access-control-max-age', preflightSeconds)
        .header('x-request-id', request.id)
        .code(204)
        .send();
      return;
    }
    done();
  });
}
