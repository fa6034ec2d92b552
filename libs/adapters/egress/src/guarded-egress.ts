import type { Socket } from 'node:net';
import { Client } from 'undici';
import {
  type Clock,
  Egress,
  EgressFailure,
  type EgressRequest,
  type MailAnswer,
  type OpenedResponse,
  type OutgoingMail,
} from '@aos/kernel';
import { Exchange } from './exchange.js';
import { handMailOver } from './mail-handover.js';
import { NameResolver, type ResolveFor } from './name-resolver.js';
import { connectPinned } from './pinned-connection.js';
import { canonicalAddress, isPublicAddress } from './public-address.js';
import type { ResolvedAddress } from './system-names.js';
import { AllowList, blockedBecause, mailUrl, readMailTarget, readTarget, type Refused, type Target } from './target.js';

/** All addresses of a name. */
export type Resolve = (hostname: string, how: ResolveFor) => Promise<ResolvedAddress[]>;

/** For the operator's log only: neither the model nor the tenant may see the address. */
export interface BlockedAddress {
  host: string;
  port: number;
  address: string | null;
}

export interface EgressOptions {
  /** Bounds every exchange. */
  clock: Clock;
  /** Exact `host:port` pairs that pass at any address (`SVC_EGRESS_ALLOW`). */
  allow: readonly string[];
  /** Called when an address or port is refused at connect time. */
  onBlocked?: (blocked: BlockedAddress) => void;
  /** Replaces the resolver over the system's files and name servers. */
  resolve?: Resolve;
}

/** Set by the exchange itself; a caller's value would change where or how the message ends. */
const ownHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'expect',
  'te',
  'trailer',
  'keep-alive',
  'accept-encoding',
  'proxy-authorization',
  'proxy-connection',
]);
const responseHeaderBytesMax = 16 * 1024;

/**
 * One connection per exchange, made to an address that was checked a moment before: nothing is pooled, so nothing is
 * shared.
 */
export class GuardedEgress extends Egress {
  private readonly allow: AllowList;
  private readonly resolve: Resolve;

  constructor(private readonly options: EgressOptions) {
    super();
    this.allow = new AllowList(options.allow);
    const resolver = new NameResolver({ clock: options.clock });
    this.resolve = options.resolve ?? ((hostname, how) => resolver.resolve(hostname, how));
  }

  override refusal(url: string): string | null {
    const target = readTarget(url, this.allow);
    return 'refused' in target ? target.refused : null;
  }

  override async open(request: EgressRequest): Promise<OpenedResponse> {
    const target = readTarget(request.url, this.allow);
    if ('refused' in target) throw this.refused(target, request.url);
    const exchange = new Exchange(request, this.options.clock);
    try {
      const addresses = await exchange.bounded(
        this.addressesOf(target, { orgId: request.orgId, signal: exchange.signal }),
      );
      return await exchange.bounded(this.exchange(target, addresses, request, exchange));
    } catch (error) {
      await exchange.end();
      throw exchange.failure(error);
    }
  }

  override async sendMail(mail: OutgoingMail): Promise<MailAnswer> {
    const target = readMailTarget(mail.host, mail.port, this.allow);
    if ('refused' in target) throw this.refused(target, mailUrl(mail.host, mail.port));
    const exchange = new Exchange(mail, this.options.clock);
    try {
      const addresses = await exchange.bounded(
        this.addressesOf(target, { orgId: mail.orgId, signal: exchange.signal }),
      );
      const socket = await exchange.bounded(this.connected(target, addresses, exchange));
      exchange.release = () => {
        socket.destroy();
        return Promise.resolve();
      };
      return await exchange.bounded(
        handMailOver(socket, { ...mail, host: target.host }, { mustBeSecure: !target.allowed }),
      );
    } catch (error) {
      throw exchange.failure(error);
    } finally {
      await exchange.end();
    }
  }

  private refused(target: Refused, text: string): EgressFailure {
    if (!target.blocked) return new EgressFailure('invalid_url', false, target.refused);
    const url = new URL(text);
    this.options.onBlocked?.({
      host: url.hostname,
      port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
      address: null,
    });
    return new EgressFailure('endpoint_blocked', false, target.refused);
  }

  /** Every address must be public: a name with one private address is refused whole. */
  private async addressesOf(target: Target, how: ResolveFor): Promise<string[]> {
    const found = target.literal ? [{ address: target.host }] : await this.resolve(target.host, how);
    const addresses = found.map(({ address }) => address);
    if (addresses.length === 0) throw new EgressFailure('unreachable', false, 'the host has no address');
    const wrong = target.allowed ? undefined : addresses.find((address) => !isPublicAddress(address));
    if (wrong !== undefined) {
      this.options.onBlocked?.({ host: target.host, port: target.port, address: wrong });
      throw new EgressFailure('endpoint_blocked', false, blockedBecause('address is not public', target.text));
    }
    return addresses;
  }

  private async exchange(
    target: Target,
    addresses: readonly string[],
    request: EgressRequest,
    exchange: Exchange,
  ): Promise<OpenedResponse> {
    const socket = await this.connected(target, addresses, exchange);
    const client = new Client(target.url.origin, {
      // the client is not ready for an answer within the call
      connect: (_options, callback) => queueMicrotask(() => callback(null, socket)),
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: responseHeaderBytesMax,
      pipelining: 1,
    });
    exchange.release = async () => {
      await client.destroy();
      socket.destroy();
    };
    return this.opened(client, target, request, exchange);
  }

  /** A connection to one of the checked addresses. */
  private async connected(target: Target, addresses: readonly string[], exchange: Exchange): Promise<Socket> {
    const { host, port, secure } = target;
    const socket = await connectPinned({ host, port, secure, addresses, signal: exchange.signal });
    const remote = canonicalAddress(socket.remoteAddress ?? '');
    if (remote === null || !addresses.some((address) => canonicalAddress(address) === remote)) {
      socket.destroy();
      this.options.onBlocked?.({ host: target.host, port: target.port, address: remote });
      throw new EgressFailure('endpoint_blocked', false, 'connected to another address than the one checked');
    }
    exchange.connected = true;
    return socket;
  }

  private async opened(
    client: Client,
    { url }: Target,
    request: EgressRequest,
    exchange: Exchange,
  ): Promise<OpenedResponse> {
    const response = await client.request({
      path: `${url.pathname}${url.search}`,
      method: request.method,
      headers: outgoingHeaders(request.headers),
      body: request.body ?? null,
      signal: exchange.signal,
    });
    response.body.on('error', () => undefined); // the reader sees it; a body that is not read must not end the process
    if (response.statusCode >= 300 && response.statusCode < 400)
      throw new EgressFailure('redirect', true, 'redirects are not followed');
    if (Number(response.headers['content-length'] ?? 0) > request.responseBytesMax) throw tooLarge(request);
    return {
      status: response.statusCode,
      headers: incomingHeaders(response.headers),
      body: bodyOf(response.body, request, exchange),
    };
  }
}

/** Ends the exchange with the body, however that ends. */
async function* bodyOf(
  chunks: AsyncIterable<Buffer>,
  request: EgressRequest,
  exchange: Exchange,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > request.responseBytesMax) throw tooLarge(request);
      yield chunk;
    }
  } catch (error) {
    throw exchange.failure(error);
  } finally {
    await exchange.end();
  }
}

function tooLarge({ responseBytesMax }: EgressRequest): EgressFailure {
  return new EgressFailure('response_too_large', true, `the answer is larger than ${responseBytesMax} bytes`);
}

function outgoingHeaders(headers: Record<string, string>): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => !ownHeaders.has(name.toLowerCase()));
  return { ...Object.fromEntries(own), 'accept-encoding': 'identity' };
}

function incomingHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return plain;
}
