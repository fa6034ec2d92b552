import { request as plainRequest, type IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Identity } from '@aos/kernel';
import {
  closingFrameHeader,
  RefusalWithHeaders,
  startingHeader,
  upgradeOf,
  type Core,
  type StreamSlotSource,
} from '@aos/platform';
import type { ServiceName } from '../routing/services.js';
import type { Upstreams } from '../routing/upstreams.js';
import type { OpenStreams } from './open-streams.js';
import { answeredHeaders, forwardedHeaders } from './forwarded-headers.js';
import { PassingMessages } from './passing-messages.js';

type TunnelCore = Pick<Core, 'identityTokens' | 'inFlight' | 'log' | 'clock'>;

/** What a service made of the request: the switch of protocols, or an answer. */
type Outcome = { answer: IncomingMessage; upstream: Socket; head: Buffer } | { refusal: IncomingMessage };

const retrySeconds = '1';
const triesMax = 3;
const answerMs = 10_000;
const refusalBytesMax = 64 * 1024;
/** How long a client that was told why may take to leave. */
const closingFrameMs = 1_000;
/** Two pipes and who watches them. */
const listenersMax = 30;

/**
 * WebSockets through the gateway: the gateway says who it is, the service does the rest.
 *
 * The request goes on with a signed identity in place of the credential; once the service has switched, bytes pass both
 * ways as they come, at the pace of the slower side. The connection takes a slot (rule L16), and is ended when its key
 * is revoked, with the service's word for that.
 */
export class SocketTunnels {
  constructor(
    private readonly core: TunnelCore,
    private readonly upstreams: Upstreams,
    private readonly openStreams: OpenStreams,
    private readonly slots: StreamSlotSource,
  ) {}

  /**
   * Takes a request that asks for a WebSocket. Refuses `rate_limit_exceeded` beyond the caps, `service_unavailable`
   * when no replica answers.
   */
  async open(service: ServiceName, identity: Identity, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (this.core.inFlight.isStopping)
      throw new RefusalWithHeaders(
        'service_unavailable',
        { 'retry-after': retrySeconds },
        {},
        'the gateway is closing',
      );
    const upgrade = upgradeOf(request.raw);
    if (!upgrade) throw new Error('the request asks for no WebSocket');
    const client = upgrade.socket as Socket;
    const release = await this.slots.take(identity);
    client.once('close', release);
    if (client.destroyed) {
      release();
      reply.hijack();
      return;
    }
    const outcome = await this.ask(service, identity, request, client);
    if (!outcome) {
      release();
      throw new RefusalWithHeaders(
        'service_unavailable',
        { 'retry-after': retrySeconds },
        {},
        'a service does not answer, try again',
      );
    }
    if ('refusal' in outcome) {
      release();
      await refuse(outcome.refusal, reply);
      return;
    }
    const { answer, upstream, head } = outcome;
    const { raw } = reply;
    reply.hijack();
    this.core.inFlight.ended(raw);
    raw.detachSocket(client);
    if (client.destroyed) {
      upstream.destroy();
      return;
    }
    for (const socket of [client, upstream]) {
      socket.setTimeout(0);
      socket.setNoDelay(true);
      socket.setMaxListeners(listenersMax);
    }
    client.write(switchHead(answer, request.id));
    if (upgrade.head.length > 0) upstream.write(upgrade.head);
    // Either side may leave at any time. The other side is closed by then, so the fault is only logged.
    const left = (error: NodeJS.ErrnoException | null) => {
      if (error) this.core.log.debug('socket broken off', { error });
    };
    pipeline(client, upstream, left);
    const messages = new PassingMessages();
    if (head.length > 0) messages.write(head);
    pipeline(upstream, messages, client, left);
    const { authorization } = request.headers;
    const credentials = {
      ip: identity.ip,
      requestId: request.id,
      ...(authorization === undefined ? {} : { authorization }),
    };
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    const word = answer.headers[closingFrameHeader];
    const revoke =
      typeof word === 'string'
        ? () => {
            this.dismiss(client, upstream, messages, Buffer.from(word, 'base64'));
          }
        : end;
    client.once('close', this.openStreams.add(identity, credentials, { end, revoke, rotate: end }));
  }

  /** Nothing that the client says reaches the service any more; it is told why, and has a moment to leave. */
  private dismiss(client: Socket, upstream: Socket, messages: PassingMessages, word: Buffer): void {
    client.unpipe(upstream);
    client.resume();
    const timer = this.core.clock.after(closingFrameMs, () => {
      client.destroy();
    });
    client.once('close', () => {
      timer.cancel();
      upstream.destroy();
    });
    messages.finish(word);
  }

  /**
   * Null when no replica answered. A request that asks for a WebSocket does nothing but that: it may be sent to the
   * next.
   */
  private async ask(
    service: ServiceName,
    identity: Identity,
    request: FastifyRequest,
    client: Socket,
  ): Promise<Outcome | null> {
    for (const address of this.upstreams.replicas(service).slice(0, triesMax)) {
      const identityToken = this.core.identityTokens.mint(identity, service);
      const headers = {
        ...forwardedHeaders(request.headers, { requestId: request.id, identityToken }),
        connection: 'Upgrade',
        upgrade: 'websocket',
      };
      try {
        const outcome = await askOne(new URL(request.raw.url ?? '/', address), headers, client);
        if (!('refusal' in outcome)) return outcome;
        const reason = reasonToAskAnother(outcome.refusal);
        if (reason === null) return outcome;
        outcome.refusal.destroy();
        this.core.log.warn('upstream down', { service, request_id: request.id, reason: `${address} ${reason}` });
      } catch (error) {
        this.core.log.warn('upstream down', { service, request_id: request.id, error });
        this.upstreams.avoid(address);
      }
      if (client.destroyed) return null;
    }
    return null;
  }
}

/** A refusal that says nothing about the client: the next replica is asked (rule G25). Null for every other one. */
function reasonToAskAnother({ statusCode, headers }: IncomingMessage): string | null {
  if (statusCode === 401) return 'refuses the signed identity';
  return headers[startingHeader] === undefined ? null : 'is starting';
}

function askOne(url: URL, headers: Record<string, string | string[]>, client: Socket): Promise<Outcome> {
  const send = url.protocol === 'https:' ? tlsRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const asked = send(url, { headers, agent: false });
    const leave = () => {
      asked.destroy(new Error('the client left'));
    };
    const timer = setTimeout(() => {
      asked.destroy(new Error(`no answer within ${answerMs} ms`));
    }, answerMs);
    const settle = () => {
      clearTimeout(timer);
      client.off('close', leave);
    };
    client.once('close', leave);
    asked.once('error', (error) => {
      settle();
      reject(error);
    });
    asked.once('response', (refusal) => {
      settle();
      resolve({ refusal });
    });
    asked.once('upgrade', (answer, upstream: Socket, head) => {
      settle();
      upstream.on('error', () => {
        upstream.destroy();
      });
      resolve({ answer, upstream, head });
    });
    asked.end();
  });
}

/** The service's own words, within bounds. */
async function refuse(refusal: IncomingMessage, reply: FastifyReply): Promise<void> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of refusal as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > refusalBytesMax) break;
    chunks.push(chunk);
  }
  const { 'content-length': _length, ...headers } = answeredHeaders(
    refusal.headers,
    reply.getHeaders() as Record<string, string>,
  );
  await reply
    .code(refusal.statusCode ?? 502)
    .headers(headers)
    .send(Buffer.concat(chunks));
}

function switchHead({ headers }: IncomingMessage, requestId: string): string {
  const passed = ['sec-websocket-accept', 'sec-websocket-protocol'].flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [`${name}: ${value}`] : [];
  });
  return [
    'HTTP/1.1 101 Switching Protocols',
    'connection: Upgrade',
    'upgrade: websocket',
    `x-request-id: ${requestId}`,
    ...passed,
    '',
    '',
  ].join('\r\n');
}
