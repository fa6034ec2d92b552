import type { FastifyRequest } from 'fastify';
import { answerClientError } from './answers.js';

/** Whether a request's headers say that a body comes. */
export function announcesBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Bounds the time in which a request arrives (control S17). The server of Node has one bound for all requests, which is
 * that of files; every other request is ended here, as Node ends one.
 */
export class ReceivingRequests {
  private readonly since = new Map<FastifyRequest, number>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly limits: { readonly requestTimeoutMs: number; readonly checkIntervalMs: number }) {}

  /** Called for each request before its body is read. */
  begin(request: FastifyRequest): void {
    const { operation } = request.routeOptions.config.bound ?? {};
    if (!announcesBody(request) || operation?.body?.mediaType === 'multipart/form-data') return;
    this.since.set(request, performance.now());
    this.timer ??= setInterval(() => {
      this.look();
    }, this.limits.checkIntervalMs).unref();
  }

  /** Called when its body is there. */
  received(request: FastifyRequest): void {
    this.since.delete(request);
  }

  close(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    this.since.clear();
  }

  private look(): void {
    const oldest = performance.now() - this.limits.requestTimeoutMs;
    for (const [request, since] of this.since) {
      const { raw } = request;
      if (raw.complete || raw.destroyed) this.since.delete(request);
      else if (since < oldest) {
        this.since.delete(request);
        answerClientError(Object.assign(new Error('too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), raw.socket);
      }
    }
  }
}
