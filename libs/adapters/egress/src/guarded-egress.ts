import { lookup } from 'node:dns/promises';
import { Client, errors } from 'undici';
import { type Clock, Egress, EgressFailure, type EgressRequest, type EgressResponse } from '@aos/kernel';
import { connectPinned } from './pinned-connection.js';
import { canonicalAddress, isPublicAddress } from './public-address.js';
import { AllowList, readTarget, type Target } from './target.js';

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<ResolvedAddress[]>;

/** For the operator's log only: neither the model nor the tenant may see the address. */
export interface BlockedAddress {
  host: string;
  port: number;
  address: string | null;
}

export interface EgressOptions {
  /** Bounds every exchange. */
  clock: Clock;
  /** Exact `host:port` pairs that pass whatever their address (`SVC_EGRESS_ALLOW`). */
  allow: readonly string[];
  /** Called when an address or port is refused at connect time. */
  onBlocked?: (blocked: BlockedAddress) => void;
  /** Replaces the system's resolver. */
  resolve?: Resolve;
}

/** Set by the exchange itself; a caller's value would change where or how the message ends. */
const OWN_HEADERS = new Set([
  'host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'expect', 'te', 'trailer', 'keep-alive', 'accept-encoding',
  'proxy-authorization', 'proxy-connection',
]);
const RESPONSE_HEADER_BYTES_MAX = 16 * 1024;

/** One connection per exchange, made to an address that was checked a moment before: nothing is pooled, so nothing is shared. */
export class GuardedEgress extends Egress {
  private readonly allow: AllowList;
  private readonly resolve: Resolve;

  constructor(private readonly options: EgressOptions) {
    super();
    this.allow = new AllowList(options.allow);
    this.resolve = options.resolve ?? systemResolve;
  }

  override refusal(url: string): string | null {
    const target = readTarget(url, this.allow);
    return 'refused' in target ? target.refused : null;
  }

  override async send(request: EgressRequest): Promise<EgressResponse> {
    const target = readTarget(request.url, this.allow);
    if ('refused' in target) throw this.refused(target, request.url);
    const exchange = new Exchange(request, this.options.clock);
    try {
      const addresses = await exchange.bounded(this.addressesOf(target));
      return await exchange.bounded(this.exchange(target, addresses, request, exchange));
    } catch (error) {
      throw exchange.failure(error);
    } finally {
      exchange.end();
    }
  }

  private refused(target: { refused: string; blocked: boolean }, text: string): EgressFailure {
    if (!target.blocked) return new EgressFailure('invalid_url', false, target.refused);
    const url = new URL(text);
    this.options.onBlocked?.({ host: url.hostname, port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)), address: null });
    return new EgressFailure('endpoint_blocked', false, target.refused);
  }

  /** Every address must be public: a name with one private address is refused whole. */
  private async addressesOf(target: Target): Promise<string[]> {
    const found = target.literal ? [{ address: target.host }] : await this.resolve(target.host);
    const addresses = found.map(({ address }) => address);
    if (addresses.length === 0) throw new EgressFailure('unreachable', false, 'the host has no address');
    const wrong = target.allowed ? undefined : addresses.find((address) => !isPublicAddress(address));
    if (wrong !== undefined) {
      this.options.onBlocked?.({ host: target.host, port: target.port, address: wrong });
      throw new EgressFailure('endpoint_blocked', false, 'address is not public');
    }
    return addresses;
  }

  private async exchange(target: Target, addresses: readonly string[], request: EgressRequest, exchange: Exchange): Promise<EgressResponse> {
    const socket = await connectPinned({ host: target.host, port: target.port, secure: target.secure, addresses, signal: exchange.signal });
    const remote = canonicalAddress(socket.remoteAddress ?? '');
    if (remote === null || !addresses.some((address) => canonicalAddress(address) === remote)) {
      socket.destroy();
      this.options.onBlocked?.({ host: target.host, port: target.port, address: remote });
      throw new EgressFailure('endpoint_blocked', false, 'connected to another address than the one checked');
    }
    exchange.connected = true;
    const client = new Client(target.url.origin, {
      connect: (_options, callback) => queueMicrotask(() => callback(null, socket)), // the client is not ready for an answer within the call
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: RESPONSE_HEADER_BYTES_MAX,
      pipelining: 1,
    });
    try {
      return await this.read(client, target, request, exchange.signal);
    } finally {
      await client.destroy();
      socket.destroy();
    }
  }

  private async read(client: Client, { url }: Target, request: EgressRequest, signal: AbortSignal): Promise<EgressResponse> {
    const response = await client.request({
      path: `${url.pathname}${url.search}`,
      method: request.method,
      headers: outgoingHeaders(request.headers),
      body: request.body ?? null,
      signal,
    });
    if (response.statusCode >= 300 && response.statusCode < 400) throw new EgressFailure('redirect', true, 'redirects are not followed');
    const tooLarge = () => new EgressFailure('response_too_large', true, `the answer is larger than ${request.responseBytesMax} bytes`);
    if (Number(response.headers['content-length'] ?? 0) > request.responseBytesMax) throw tooLarge();
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > request.responseBytesMax) throw tooLarge();
      chunks.push(chunk);
    }
    return { status: response.statusCode, headers: incomingHeaders(response.headers), body: new Uint8Array(Buffer.concat(chunks, bytes)) };
  }
}

/** One exchange's bound in time, and what is known of how far it came. */
class Exchange {
  connected = false;
  private readonly abort = new AbortController();
  private readonly timer: { cancel(): void };
  private readonly stop: () => void;

  constructor(private readonly request: EgressRequest, clock: Clock) {
    this.timer = clock.after(request.timeoutMs, () => this.abort.abort(new EgressFailure('timeout', this.connected, 'no answer in time')));
    this.stop = () => this.abort.abort(new EgressFailure('aborted', this.connected, 'given up by the caller'));
    if (request.signal?.aborted) this.stop();
    else request.signal?.addEventListener('abort', this.stop, { once: true });
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** Settles with the work, or as soon as time is up: a resolver cannot be called back. */
  async bounded<T>(work: Promise<T>): Promise<T> {
    let stopped: () => void = () => undefined;
    const cut = new Promise<never>((_resolve, reject) => {
      stopped = () => reject(this.signal.reason as Error);
      if (this.signal.aborted) stopped();
      else this.signal.addEventListener('abort', stopped, { once: true });
    });
    try {
      return await Promise.race([work, cut]);
    } finally {
      this.signal.removeEventListener('abort', stopped);
    }
  }

  failure(error: unknown): EgressFailure {
    if (this.signal.reason instanceof EgressFailure) return this.signal.reason;
    if (error instanceof EgressFailure) return error;
    if (error instanceof errors.InvalidArgumentError) return new EgressFailure('invalid_url', false, 'a header cannot be sent', { cause: error });
    return new EgressFailure('unreachable', this.connected, this.connected ? 'the connection broke' : 'no connection', { cause: error });
  }

  end(): void {
    this.timer.cancel();
    this.request.signal?.removeEventListener('abort', this.stop);
  }
}

async function systemResolve(hostname: string): Promise<ResolvedAddress[]> {
  const found = await lookup(hostname, { all: true, verbatim: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

function outgoingHeaders(headers: Record<string, string>): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()));
  return { ...Object.fromEntries(own), 'accept-encoding': 'identity' };
}

function incomingHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return plain;
}
