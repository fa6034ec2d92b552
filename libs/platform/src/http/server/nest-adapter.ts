import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Catch } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../../observability/log.js';
import { answerError } from './answers.js';

/**
 * Nest on a server that is already complete: its own parsers, error answers, request hooks and middleware layer stay
 * out.
 */
export class ReadyServerAdapter extends FastifyAdapter {
  constructor(server: FastifyInstance) {
    super(withoutHooks(server) as never);
    this.setInstance(server);
  }

  override async init(): Promise<void> {
    // The middleware layer would cost every request a hook, and nothing here uses it.
  }

  override registerParserMiddleware(): void {
    // The server has the one parser of every route.
  }

  override setErrorHandler(): never {
    return this.getInstance() as never;
  }

  override setNotFoundHandler(): never {
    return this.getInstance() as never;
  }
}

/** What a controller throws is answered like everything else. */
@Catch()
export class EnvelopeFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    answerError(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), this.log);
  }
}

/**
 * A server that the adapter may be made on: it adds a hook to each request for every feature that an app could turn on
 * (its own CORS, security headers, versions by header, hooks of middleware), and nothing here turns one on. The target
 * of a request, which it looks at for the middleware, is looked at in `RequestPipeline`.
 */
function withoutHooks({ server }: FastifyInstance): object {
  return { server, addHook: () => undefined };
}
