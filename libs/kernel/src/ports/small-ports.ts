import type { Identity } from '../identity.js';
import type { Json, JsonObject } from '../json.js';

/** Wall time for stamps, monotonic time for durations, timers that tests can drive. */
export abstract class Clock {
  /** Milliseconds since 1970, UTC. */
  abstract now(): number;
  /** Milliseconds from an arbitrary start; never goes back, whatever happens to the wall clock. */
  abstract monotonic(): number;
  /** Runs `action` once after `ms` of monotonic time. The timer does not keep the process alive. */
  abstract after(ms: number, action: () => void): { cancel(): void };
  /** Resolves after `ms`; rejects with the signal's reason when that is aborted first. */
  abstract sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

let [lastMs, lastText] = [Number.NaN, '']; // one command asks for the same moment again and again

/** RFC 3339 UTC with milliseconds (rule G6). */
export function rfc3339(ms: number): string {
  if (ms !== lastMs) [lastMs, lastText] = [ms, new Date(ms).toISOString()];
  return lastText;
}

/** New names and random bits. */
export abstract class Ids {
  /** 26 characters that sort by time of making. */
  abstract ulid(): string;
  abstract uuid(): string;
  abstract randomBytes(count: number): Uint8Array;
}

/** Folded states by stream and reducer. May be lost at any time; a wrong key never gives a value. */
export abstract class Snapshots {
  abstract get(key: string): Promise<{ revision: number; state: string } | null>;
  /** Keeps the highest revision. */
  abstract put(key: string, revision: number, state: string): Promise<void>;
  abstract close(): Promise<void>;
}

/** Hints who works on what. May be lost at any time: the log's exact revision is what fences. Rejects with `StoreUnavailable` when it cannot answer. */
export abstract class Leases {
  /** True when nobody held it, or this owner did; then it is held for `ttlMs`. */
  abstract acquire(name: string, owner: string, ttlMs: number): Promise<boolean>;
  /** True when this owner holds it, or nobody does and it is put back; false when somebody else holds it. */
  abstract renew(name: string, owner: string, ttlMs: number): Promise<boolean>;
  /** Gives it up if this owner holds it. */
  abstract release(name: string, owner: string): Promise<void>;
  /** Who holds each, in the order asked; null for nobody. */
  abstract holders(names: readonly string[]): Promise<(string | null)[]>;
  abstract close(): Promise<void>;
}

export interface BusSubscription {
  /** Resolves when messages published from now on arrive. */
  readonly ready: Promise<void>;
  close(): void;
}

/**
 * Live signals between processes: doorbells and previews.
 *
 * Promises: a message reaches every subscriber at most once, in the publisher's order per channel. `publish` never waits for a subscriber.
 * Does not promise: that it arrives. A handler must not block; what it throws is logged.
 */
export abstract class LiveBus {
  abstract publish(channel: string, message: Json): void;
  /**
   * As `publish`, for what subscribers should know before somebody else is told: resolves when whatever reaches a subscriber's process from then on
   * comes after the message. Resolves all the same, after a bounded wait, when the message is lost.
   */
  abstract deliver(channel: string, message: Json): Promise<void>;
  abstract subscribe(channel: string, handler: (message: Json) => void): BusSubscription;
  /** A small text kept for late joiners: one field of a hash that lives `ttlMs` after its last change. */
  abstract setPreview(key: string, field: string, value: string, ttlMs: number): Promise<void>;
  abstract preview(key: string): Promise<Map<string, string>>;
  /** Drops the whole hash, or one field of it. */
  abstract dropPreview(key: string, field?: string): Promise<void>;
  /** Called when the bus breaks (false) and when it is whole again (true): messages in between were lost. */
  abstract onHealth(listener: (healthy: boolean) => void): void;
  abstract readonly healthy: boolean;
  abstract close(): Promise<void>;
}

/** Large values, by content. Promises: durable before `put` resolves; the same bytes of one organization are stored once; no organization reads another's. */
export abstract class Blobs {
  /** Gives the digest: SHA-256 in hex. */
  abstract put(orgId: string, bytes: Uint8Array): Promise<string>;
  /** Null when there is none. Rejects with `StoreUnavailable` when the store does not answer. */
  abstract get(orgId: string, digest: string): Promise<Uint8Array | null>;
}

export interface GatewayCommand {
  /** Name that the owning context registered, such as `tables.save_row`. */
  name: string;
  payload: JsonObject;
  /** The acting principal. */
  identity: Identity;
  /** The same id is carried out once; the target keeps it in its state. */
  deliveryId: string;
}

/** The way to change another context's facts. Promises: a repeated delivery id answers as the first time. Throws the target's `Refusal`, or `StoreUnavailable`. */
export abstract class CommandGateway {
  abstract send(command: GatewayCommand): Promise<JsonObject>;
}

/** What a user-supplied URL may cost. */
export interface EgressRequest {
  url: string;
  /** Whose call it is: organizations take turns where calls wait for each other. Absent for calls of the service itself. */
  orgId?: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: Uint8Array;
  timeoutMs: number;
  responseBytesMax: number;
  signal?: AbortSignal;
}

export interface EgressResponse {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  body: Uint8Array;
}

/** An answer whose body is still on its way. */
export interface OpenedResponse extends Omit<EgressResponse, 'body'> {
  /**
   * The body as it comes, to be read once; reading throws `EgressFailure`. Time-out, cap and signal of the request hold until the body ends.
   * A reader that leaves early ends the connection.
   */
  body: AsyncIterable<Uint8Array>;
}

/** Why nothing came back. `connected` is false when no byte of the request can have arrived. */
export class EgressFailure extends Error {
  constructor(
    readonly reason:
      'endpoint_blocked' | 'timeout' | 'unreachable' | 'response_too_large' | 'redirect' | 'invalid_url' | 'aborted',
    readonly connected: boolean,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'EgressFailure';
  }
}

/** The only way out to an address that a user gave: literal and resolved addresses checked, the checked address pinned, no redirects, time and size caps. */
export abstract class Egress {
  /** Gives the answer as soon as its head is there. Throws `EgressFailure`. */
  abstract open(request: EgressRequest): Promise<OpenedResponse>;

  /** Gives the whole answer. Throws `EgressFailure`. */
  async send(request: EgressRequest): Promise<EgressResponse> {
    const { status, headers, body } = await this.open(request);
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return { status, headers, body: joined(chunks) };
  }

  /** Checks a URL at the time it is saved; gives the reason it is refused, or null. */
  abstract refusal(url: string): string | null;
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
