import type { FastifyReply, FastifyRequest } from 'fastify';
import { ShortLivedMap, type Clock, type Identity } from '@aos/kernel';
import type { InFlight } from '../server/in-flight.js';
import { unauthorized } from '../server/authentication.js';
import { RefusalWithHeaders } from '../server/envelope.js';
import type { SseHandlers, StreamEnd } from './sse-connection.js';
import { SseConnection } from './sse-connection.js';
import { ReservedSlot, type StreamSlots } from './stream-slots.js';

export interface SseTimes {
  readonly heartbeatSeconds: number;
  readonly rotateSeconds: number;
}

/** How often ages are looked at. */
const ageCheckMs = 1_000;

/** Rule F1. */
const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  connection: 'keep-alive',
} as const;

const noLines: string[] = [];
const nothing = Object.freeze({});

/** Lets go of what only the opening needed; what is told when the stream ends needs the address. */
function forgetOpening(request: FastifyRequest): void {
  const { raw, svc } = request;
  const forwarded = raw.headers['x-forwarded-for'];
  raw.headers = forwarded === undefined ? nothing : { 'x-forwarded-for': forwarded };
  raw.rawHeaders = noLines;
  request.params = nothing;
  request.query = nothing;
  if (svc) svc.query = nothing;
}

/**
 * Every open stream of this process: opens them within the caps, keeps them alive with one timer, ends them when they
 * are old, when their key is revoked or their browser token ends, and when the process stops.
 * Source: rules A39, E18, F1, F18, L16; controls S21, S22, S23.
 */
export class SseStreams {
  /**
   * By the second of the heartbeat's period in which each is kept alive, oldest first: all at once would hold
   * everything else up.
   */
  private readonly connections: readonly ShortLivedMap<SseConnection>[];
  /** Those that were opened with a browser token, which ends while they are open. */
  private readonly ending = new ShortLivedMap<SseConnection>();
  private count = 0;
  /** Names the next one: maps give those of a second in the order of these numbers. */
  private begun = 0;
  private ticks = 0;
  private timer: { cancel(): void } | null = null;
  private isStopping = false;

  constructor(
    private readonly slots: StreamSlots,
    private readonly inFlight: InFlight,
    private readonly clock: Clock,
    private readonly times: SseTimes,
  ) {
    this.connections = Array.from(
      { length: Math.max(1, Math.round((times.heartbeatSeconds * 1000) / ageCheckMs)) },
      () => new ShortLivedMap(),
    );
  }

  get open(): number {
    return this.count;
  }

  /**
   * Takes a slot for a stream whose cause is yet to be written, such as a turn.
   *
   * Refuses  `rate_limit_exceeded` beyond the caps, `service_unavailable` while the process stops.
   */
  reserve(request: FastifyRequest): ReservedSlot {
    const identity = request.svc?.identity;
    if (!identity) throw unauthorized();
    if (this.isStopping)
      throw new RefusalWithHeaders('service_unavailable', { 'retry-after': '1' }, {}, 'the service is stopping');
    return new ReservedSlot(this.slots.take(identity));
  }

  /**
   * Takes the reply over; the headers leave with the first frames, at the latest a turn of the loop later. Check
   * everything that can be refused before: after this only frames can be sent.
   *
   * Takes    the request and reply of a controller, what to do when the stream ends, and the slot if it was reserved.
   * Gives    the connection; a controller that has called this returns nothing. It is over already when the client left
   *          before.
   * Refuses  as `reserve`, unless a slot was reserved.
   */
  start(
    request: FastifyRequest,
    reply: FastifyReply,
    handlers: SseHandlers = {},
    headers: Readonly<Record<string, string>> = {},
    slot: ReservedSlot = this.reserve(request),
  ): SseConnection {
    const identity = request.svc?.identity;
    if (!identity) throw unauthorized();
    const release = slot.handOver();
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...streamHeaders, ...headers });
    raw.socket?.setNoDelay(true);
    raw.socket?.setTimeout(0);
    this.inFlight.ended(raw);
    forgetOpening(request);
    const name = String(this.begun);
    this.begun += 1;
    const connection = new SseConnection(name, raw, identity, this.clock.monotonic(), handlers, this.left, release);
    this.connections[this.ticks % this.connections.length]?.set(name, connection);
    this.count += 1;
    if (identity.token) this.ending.set(name, connection);
    connection.endIfClosed();
    this.arm();
    return connection;
  }

  private readonly left = (connection: SseConnection): void => {
    connection.release();
    this.ending.delete(connection.name);
    for (const ofSecond of this.connections) if (ofSecond.delete(connection.name)) this.count -= 1;
  };

  /** The keys that hold streams open here, each with who opened one of them. */
  openKeys(): Map<string, Identity> {
    const keys = new Map<string, Identity>();
    for (const ofSecond of this.connections) {
      for (const { identity } of ofSecond.values())
        if (identity.apiKeyId !== null) keys.set(identity.apiKeyId, identity);
    }
    return keys;
  }

  /** Ends the streams of a key that was revoked. */
  closeKey(apiKeyId: string): void {
    this.finishWhere((connection) => connection.identity.apiKeyId === apiKeyId, 'revoked');
  }

  /** Ends the streams of a principal that was disabled, or lost its permissions. */
  closePrincipal(orgId: string, principalId: string): void {
    this.finishWhere(({ identity }) => identity.orgId === orgId && identity.principalId === principalId, 'revoked');
  }

  /** Ends every stream and opens no more. */
  stop(): void {
    this.isStopping = true;
    this.finishWhere(() => true, 'shutdown');
    this.timer?.cancel();
    this.timer = null;
  }

  private finishWhere(isMeant: (connection: SseConnection) => boolean, reason: StreamEnd): void {
    for (const ofSecond of this.connections) {
      for (const connection of ofSecond.values()) if (isMeant(connection)) connection.finish(reason);
    }
  }

  private arm(): void {
    this.timer ??= this.clock.after(ageCheckMs, () => {
      this.tick();
    });
  }

  private tick(): void {
    this.timer = null;
    if (this.count === 0 || this.isStopping) return;
    const openedBy = this.clock.monotonic() - this.times.rotateSeconds * 1000;
    for (const ofSecond of this.connections) {
      for (const connection of ofSecond.values()) {
        if (connection.openedAt > openedBy) break;
        connection.finish('rotate');
      }
    }
    const now = this.clock.now();
    for (const connection of this.ending.values())
      if ((connection.identity.token?.expiresAt ?? now) <= now) connection.finish('revoked');
    this.ticks += 1;
    for (const connection of this.connections[this.ticks % this.connections.length]?.values() ?? [])
      connection.heartbeat();
    this.arm();
  }
}
