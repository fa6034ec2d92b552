import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { outsideSpans, startSpan } from '../../observability/tracing.js';
import type { OpenSpan } from '../../observability/spans.js';

const spans = new WeakMap<FastifyRequest, OpenSpan>();

/**
 * A server span for each request, by the field's conventions for HTTP; what the request brings about is inside it.
 *
 * A followed stream is told apart: it lasts for minutes, and what goes on for all of its readers is not of one of them.
 * Of the path its template alone is recorded, and no header. Called before every other hook is added, and only where
 * traces are sent somewhere.
 */
export function traceRequests(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    const route = request.routeOptions.config.bound?.path;
    const { traceparent } = request.headers;
    const span = startSpan({
      name: route === undefined ? request.method : `${request.method} ${route}`,
      kind: 'server',
      parent: typeof traceparent === 'string' ? traceparent : null,
      attributes: {
        'http.request.method': request.method,
        'http.route': route,
        'url.scheme': request.protocol,
        'svc.request_id': request.id,
      },
    });
    spans.set(request, span);
    reply.raw.once('close', () => {
      ended(request, reply);
    }); // a client that leaves before the answer's end has no onResponse
    span.run(done);
  });
  // A body is read outside of the span's context: it is entered again.
  server.addHook('preValidation', (request, _reply, done) => {
    const isFollowed = request.method === 'GET' && request.svc?.route?.operation?.isEventStream === true;
    const span = spans.get(request);
    if (isFollowed || !span) outsideSpans(done);
    else span.run(done);
  });
  server.addHook('onResponse', (request, reply, done) => {
    ended(request, reply);
    done();
  });
}

function ended(request: FastifyRequest, reply: FastifyReply): void {
  const span = spans.get(request);
  if (!span) return;
  spans.delete(request);
  const { statusCode } = reply.raw;
  span.set({ 'http.response.status_code': statusCode, 'svc.org_id': request.svc?.identity?.orgId });
  if (statusCode >= 500) span.fail(new ServerFault(statusCode));
  span.end();
}

/** Answered with a fault of ours: named by its status, as the conventions say. */
class ServerFault extends Error {
  readonly code: string;

  constructor(status: number) {
    super(`status ${status}`);
    this.code = String(status);
  }
}
