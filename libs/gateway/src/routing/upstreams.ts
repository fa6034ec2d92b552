import { Agent } from 'undici';
import type { Dispatcher } from 'undici';
import { OwnerMap, type Clock } from '@aos/kernel';
import { identityHeader, startingHeader, isTracing, traceHeaders, traced } from '@aos/platform';
import { ReplicaAddresses, type Resolve } from './replica-addresses.js';
import { ReplicaHealth } from './replica-health.js';

/** What is sent on. */
export interface Forwarded {
  method: string;
  /** Path and query as they came. */
  path: string;
  headers: Record<string, string | string[]>;
  body: Buffer | NodeJS.ReadableStream | null;
  /**
   * True when sending it twice does what sending it once does: then it may be repeated although a service might have
   * seen it.
   */
  isRepeatable: boolean;
  signal?: AbortSignal;
  /** Which replica is asked first; absent: each in turn. */
  to?: Destination;
}

/**
 * A hint at the replica that serves a request best: the owner of a partition, or of two random ones the one with fewer
 * requests of this process under way. Any other one serves it too.
 */
export type Destination = { partition: number } | 'less busy';

/** Who owns the partitions of a service, as far as it is known. */
export interface KnownOwners {
  of(service: string): OwnerMap | null;
}

export interface UpstreamOptions {
  heartbeatSeconds: number;
  repeatableMs?: number;
  owners?: KnownOwners;
  random?: () => number;
  resolve?: Resolve;
}

const noOwners: KnownOwners = { of: () => null };

export type Answer = Dispatcher.ResponseData;

/** No replica of a service could be asked, or none answered. */
export class UpstreamDown extends Error {
  constructor(
    readonly service: string,
    options: ErrorOptions,
  ) {
    super(`${service} does not answer`, options);
    this.name = 'UpstreamDown';
  }
}

/** The replica that was asked last did not believe the signed identity, or came to it too late. */
export class IdentityRefused extends UpstreamDown {}

const triesMin = 2;
const triesMax = 3;
/** A replica that could not be connected to is asked after the others for this long. */
const avoidedMs = 1_000;
/** An answer is held for at most 50 s (rule L7), and callers give up at 60 s. */
const unaryMs = 55_000;
/** What may be asked of another replica instead is not waited for that long. */
const defaultRepeatableMs = 10_000;
const readyMs = 2_000;
const streamHeadersMs = 30_000;
const heartbeatsMissedMax = 4;
/** No byte of the request has left. */
const notConnected: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'UND_ERR_CONNECT_TIMEOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EADDRNOTAVAIL',
]);
const brokenOff: ReadonlySet<string> = new Set([
  'UND_ERR_SOCKET',
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_DESTROYED',
  'UND_ERR_CLOSED',
]);

/**
 * The replicas of every service: asked in turn, over one pool for calls and one for streams, so that streams never keep
 * a call waiting.
 *
 * Does not promise that a call is tried again: only when no byte of it left, or when it may be repeated.
 * Source: event sourcing, gateway proxy: connections have no bound of their own (streams are bounded by rule L16).
 */
export class Upstreams {
  private readonly unary: Agent;
  private readonly streams: Agent;
  private readonly turns = new Map<string, number>();
  private readonly repeatableMs: number;
  private readonly avoidedUntil = new Map<string, number>();
  private readonly health: ReplicaHealth;
  /** Requests under way, by address. */
  private readonly busy = new Map<string, number>();
  /** Owners where none are known: all replicas, alike. */
  private readonly alike = new Map<string, OwnerMap>();
  private readonly addresses: ReplicaAddresses;
  private readonly owners: KnownOwners;
  private readonly random: () => number;

  constructor(
    addresses: Readonly<Record<string, readonly string[]>>,
    private readonly clock: Clock,
    options: UpstreamOptions,
  ) {
    const { heartbeatSeconds, repeatableMs = defaultRepeatableMs, owners = noOwners, random = Math.random } = options;
    this.addresses = new ReplicaAddresses(addresses, clock, options.resolve);
    this.repeatableMs = repeatableMs;
    this.owners = owners;
    this.random = random;
    const tls = { rejectUnauthorized: true };
    this.unary = new Agent({
      connections: null,
      headersTimeout: unaryMs,
      bodyTimeout: unaryMs,
      connect: { ...tls, timeout: 2_000 },
    });
    this.streams = new Agent({
      connections: null,
      headersTimeout: streamHeadersMs,
      bodyTimeout: heartbeatsMissedMax * heartbeatSeconds * 1000,
      connect: { ...tls, timeout: 2_000 },
    });
    this.health = new ReplicaHealth(this.addresses.all, (address) => this.isReady(address), clock);
    this.addresses.onChange(() => {
      this.changed(this.addresses.all);
    });
  }

  /** Whether a service has more than one replica here. */
  hasChoice(service: string): boolean {
    return this.addresses.of(service).length > 1;
  }

  /** Addresses of a service, those first that are asked first: by their destination, unwell ones after all others. */
  replicas(service: string, to?: Destination): string[] {
    const known = this.addresses.of(service);
    this.health.use(known);
    const now = this.clock.monotonic();
    const inOrder = this.inOrder(service, known, to);
    const isAvoided = (address: string) => (this.avoidedUntil.get(address) ?? 0) > now || this.health.isUnwell(address);
    return [...inOrder.filter((address) => !isAvoided(address)), ...inOrder.filter(isAvoided)];
  }

  private changed(all: readonly string[]): void {
    this.alike.clear();
    this.health.replace(all);
    for (const address of this.avoidedUntil.keys()) if (!all.includes(address)) this.avoidedUntil.delete(address);
  }

  private inOrder(service: string, known: readonly string[], to: Destination | undefined): string[] {
    const turn = this.turns.get(service) ?? 0;
    this.turns.set(service, (turn + 1) % Math.max(1, known.length));
    const inTurn = known.map((_, index) => known[(turn + index) % known.length] as string);
    if (to === undefined || known.length < 2) return inTurn;
    const first = to === 'less busy' ? this.lessBusy(service, known) : this.ownersOf(service, known, to.partition);
    return [...first, ...inTurn.filter((address) => !first.includes(address))];
  }

  /** Only replicas that this process was given: what others say of themselves gives no new address to send to. */
  private ownersOf(service: string, known: readonly string[], partition: number): string[] {
    const owners =
      this.owners
        .of(service)
        ?.order(partition)
        .filter((address) => known.includes(address)) ?? [];
    if (owners.length > 0) return owners;
    const alike = this.alike.get(service) ?? new OwnerMap(known.map((address) => ({ address, weight: 1 })));
    this.alike.set(service, alike);
    return [...alike.order(partition)];
  }

  /** Of two random ones: the least busy of all would be sent everything by all gateways at once. */
  private lessBusy(service: string, known: readonly string[]): string[] {
    const members =
      this.owners
        .of(service)
        ?.order(0)
        .filter((address) => known.includes(address)) ?? [];
    const able = (members.length > 0 ? members : known).filter((address) => !this.health.isUnwell(address));
    if (able.length < 2) return [...able];
    const one = Math.floor(this.random() * able.length);
    const other = (one + 1 + Math.floor(this.random() * (able.length - 1))) % able.length;
    const pair = [able[one] as string, able[other] as string];
    return pair.sort((a, b) => (this.busy.get(a) ?? 0) - (this.busy.get(b) ?? 0));
  }

  /** This replica could not be connected to, does not answer, or says that it stops. */
  avoid(address: string): void {
    this.avoidedUntil.set(address, this.clock.monotonic() + avoidedMs);
  }

  /**
   * Gives the answer as soon as its headers are there; its body is the caller's to read or to destroy. Throws
   * `UpstreamDown`, `IdentityRefused`, or the signal's reason.
   */
  async send(service: string, request: Forwarded, kind: 'unary' | 'stream'): Promise<Answer> {
    const addresses = this.replicas(service, request.to);
    const tries = Math.min(triesMax, Math.max(triesMin, addresses.length));
    let last: unknown = new Error('it has no address');
    let Down = UpstreamDown;
    for (let tried = 0; tried < tries && addresses.length > 0; tried += 1) {
      if (tried > 0 && isStream(request.body)) break; // it can be read once only
      const address = addresses[tried % addresses.length] as string;
      try {
        const answer = await (isTracing()
          ? this.inSpan(service, address, request, kind)
          : this.once(address, request, kind));
        if (answer.headers['connection'] === 'close') this.avoid(address); // it is stopping, or starting
        const isRefused = refusesIdentity(request, answer);
        if (answer.headers[startingHeader] === undefined && !isRefused) return answer;
        await answer.body.dump();
        Down = isRefused ? IdentityRefused : UpstreamDown;
        last = new Error(`${address} ${isRefused ? 'refuses the signed identity' : 'is starting'}`);
      } catch (error) {
        if (request.signal?.aborted) throw error;
        [last, Down] = [error, UpstreamDown];
        const code = String((error as { code?: unknown }).code);
        if (notConnected.has(code) || code === 'UND_ERR_HEADERS_TIMEOUT') this.avoid(address);
        if (notConnected.has(code)) continue;
        if (!brokenOff.has(code)) throw error;
        if (!request.isRepeatable) break;
      }
    }
    throw new Down(service, { cause: last });
  }

  async close(): Promise<void> {
    this.addresses.close();
    this.health.close();
    await Promise.all([this.unary.destroy(), this.streams.destroy()]);
  }

  private async isReady(address: string): Promise<void> {
    const { statusCode, body } = await this.unary.request({
      origin: address,
      path: '/readyz',
      method: 'GET',
      headersTimeout: readyMs,
      bodyTimeout: readyMs,
    });
    await body.dump();
    if (statusCode !== 200) throw new Error(`${address} answers ${statusCode}`);
  }

  private inSpan(service: string, address: string, request: Forwarded, kind: 'unary' | 'stream'): Promise<Answer> {
    const { hostname, port } = new URL(address);
    const attributes = {
      'http.request.method': request.method,
      'server.address': hostname,
      'server.port': Number(port) || undefined,
      'svc.service': service,
    };
    return traced({ name: `${request.method} ${service}`, kind: 'client', attributes }, async (span) => {
      const answer = await this.once(address, { ...request, headers: { ...request.headers, ...traceHeaders() } }, kind);
      span.set({ 'http.response.status_code': answer.statusCode });
      return answer;
    });
  }

  private async once(
    address: string,
    { method, path, headers, body, isRepeatable, signal }: Forwarded,
    kind: 'unary' | 'stream',
  ): Promise<Answer> {
    const dispatcher = kind === 'stream' ? this.streams : this.unary;
    this.busy.set(address, (this.busy.get(address) ?? 0) + 1);
    try {
      return await dispatcher.request({
        origin: address,
        path,
        method: method as Dispatcher.HttpMethod,
        headers,
        body: body as Dispatcher.DispatchOptions['body'],
        ...(isRepeatable ? { headersTimeout: this.repeatableMs } : {}),
        ...(signal ? { signal } : {}),
      });
    } finally {
      const left = (this.busy.get(address) ?? 1) - 1;
      if (left > 0) this.busy.set(address, left);
      else this.busy.delete(address);
    }
  }
}

/**
 * A signed identity is refused that is past its time when a replica comes to it: the caller's own credential is good,
 * and a 401 would say that it is not (rule G25).
 */
function refusesIdentity({ headers }: Forwarded, { statusCode }: Answer): boolean {
  return statusCode === 401 && headers[identityHeader] !== undefined;
}

function isStream(body: Forwarded['body']): boolean {
  return body !== null && !Buffer.isBuffer(body);
}
