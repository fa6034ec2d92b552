import { ShortLivedMap } from '@aos/kernel';
import type { FastifyRequest } from 'fastify';
import { answerClientError } from './answers.js';

/** Stands on each request that is being received. */
const receivedAs = Symbol('received as');

type Received = FastifyRequest & { [receivedAs]?: string };

interface Receiving {
  readonly request: FastifyRequest;
  readonly since: number;
}

/** Whether a request's headers say that a body comes. */
export function announcesBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Bounds the time in which a request arrives (control S17). The server of Node has one bound for all requests, which is
 * that of files; every other request is ended here, as Node ends one.
 */
export class ReceivingRequests {
  private readonly receiving = new ShortLivedMap<Receiving>();
  private begun = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly limits: { readonly requestTimeoutMs: number; readonly checkIntervalMs: number }) {}

  /** Called for each request before its body is read. */
  begin(request: FastifyRequest): void {
    const { operation } = request.routeOptions.config.bound ?? {};
    if (!announcesBody(request) || operation?.body?.mediaType === 'multipart/form-data') return;
    const name = String(this.begun);
    this.begun += 1;
    (request as Received)[receivedAs] = name;
    this.receiving.set(name, { request, since: performance.now() });
    this.timer ??= setInterval(() => {
      this.look();
    }, this.limits.checkIntervalMs).unref();
  }

  /** Called when its body is there. */
  received(request: FastifyRequest): void {
    const name = (request as Received)[receivedAs];
    if (name !== undefined) this.receiving.delete(name);
  }

  close(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    this.receiving.clear();
  }

  private look(): void {
    const oldest = performance.now() - this.limits.requestTimeoutMs;
    for (const [name, { request, since }] of this.receiving.entries()) {
      const { raw } = request;
      if (raw.complete || raw.destroyed) this.receiving.delete(name);
      else if (since < oldest) {
        this.receiving.delete(name);
        answerClientError(Object.assign(new Error('too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), raw.socket);
      }
    }
  }
}
