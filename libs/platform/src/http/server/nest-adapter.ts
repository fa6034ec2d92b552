import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Catch } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../../observability/log.js';
import { answerError } from './answers.js';

/** Nest on a server that is already complete: its own parsers, error answers and middleware layer stay out. */
export class ReadyServerAdapter extends FastifyAdapter {
  constructor(server: FastifyInstance) {
    super(server as never);
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
