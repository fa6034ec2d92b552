import type { Json } from './json.js';

/** A request as a receiver has it: of fetch, or its headers with the raw bytes of its body. */
export type DeliveredRequest =
  | Request
  | { headers: Headers | Record<string, string | string[] | undefined>; body: string | Uint8Array | ArrayBuffer };

export interface VerifyOptions {
  /** Clock difference that is allowed; 300 s when left out. */
  toleranceSeconds?: number;
  /** Seconds since 1970; the machine's clock when left out. */
  now?: number;
  /** Vendor token in header names, where the service has another one than `svc`. */
  token?: string;
}

export interface Delivery {
  /** The same on every try: effects are deduplicated on it. */
  id: string;
  /** Seconds since 1970, of this try. */
  timestamp: number;
  /** Of callbacks and web hooks. */
  eventType: string | null;
  /** The body's JSON; null for a body that is none. */
  body: Json;
}

/** The request does not come from the service, was changed on its way, or is too old. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
}

interface Signed {
  id: string;
  timestamp: string;
  /** What stands before the body in the signed text. */
  prefix: string;
  signatures: Uint8Array[];
  keyOf: (secret: string) => Uint8Array;
  eventType: string | null;
}

const toleranceDefault = 300;
const madeSecret = /^whsec_[A-Za-z0-9_-]{43}$/;
const encoder = new TextEncoder();

/**
 * Verifies a signed request of the service: deliveries to actions and callbacks by their `X-Svc-Signature`, web hooks
 * by their `webhook-signature`.
 *
 * Takes    the request and the secret; several while one replaces another.
 * Gives    the delivery with its body.
 * Refuses  with `VerificationError` what does not verify.
 */
export async function verifyDelivery(
  request: DeliveredRequest,
  secret: string | readonly string[],
  { toleranceSeconds = toleranceDefault, now = Date.now() / 1000, token = 'svc' }: VerifyOptions = {},
): Promise<Delivery> {
  const header = headersOf(request);
  const signed = header('webhook-signature') === null ? ofAction(header, token.toLowerCase()) : ofHook(header);
  if (!/^[1-9]\d{0,11}$/.test(signed.timestamp)) throw new VerificationError('the timestamp is no number of seconds');
  const timestamp = Number(signed.timestamp);
  if (Math.abs(now - timestamp) > toleranceSeconds) throw new VerificationError('the timestamp is too far from now');
  const body = await bytesOf(request);
  const text = joined(encoder.encode(signed.prefix), body);
  for (const one of typeof secret === 'string' ? [secret] : secret)
    if (await isSigned(signed.keyOf(one), signed.signatures, text)) {
      const json = jsonOf(body);
      return { id: signed.id, timestamp, eventType: signed.eventType ?? typeIn(json), body: json };
    }
  throw new VerificationError('the signature does not fit');
}

type ReadHeader = (name: string) => string | null;

function headersOf({ headers }: DeliveredRequest): ReadHeader {
  if (headers instanceof Headers) return (name) => headers.get(name);
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => {
    const value = byName.get(name);
    return (Array.isArray(value) ? value.join(', ') : value) ?? null;
  };
}

/** HMAC-SHA256 in hex over `v1.<id>.<timestamp>.<body>`. */
function ofAction(header: ReadHeader, token: string): Signed {
  const named = (name: string) => header(`x-${token}-${name}`) ?? '';
  const id = idOf(named('delivery-id'));
  const timestamp = named('timestamp');
  if (named('signature-version') !== 'v1') throw new VerificationError('the signature has no version that is known');
  if (!/^[1-9]\d*$/.test(named('secret-version'))) throw new VerificationError('the version of the secret is missing');
  const [, hex] = /^sha256=([0-9a-f]{64})$/.exec(named('signature')) ?? [];
  if (hex === undefined) throw new VerificationError('the signature is missing or has another form');
  const signature = Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  return {
    id,
    timestamp,
    prefix: `v1.${id}.${timestamp}.`,
    signatures: [signature],
    keyOf: (secret) => (madeSecret.test(secret) ? decoded(secret.slice(6)) : encoder.encode(secret)),
    eventType: named('event-type') || null,
  };
}

/** HMAC-SHA256 in base64 over `<id>.<timestamp>.<body>`, as npm `standardwebhooks` makes it. */
function ofHook(header: ReadHeader): Signed {
  const id = idOf(header('webhook-id') ?? '');
  const timestamp = header('webhook-timestamp') ?? '';
  const given = (header('webhook-signature') ?? '').split(' ').filter((one) => one.startsWith('v1,'));
  return {
    id,
    timestamp,
    prefix: `${id}.${timestamp}.`,
    signatures: given.map((one) => decoded(one.slice(3))),
    keyOf: (secret) => decoded(secret.replace(/^whsec_/, '')),
    eventType: null,
  };
}

/** A dot in it would let a text that was signed in one way pass as one of the other. */
function idOf(id: string): string {
  if (id === '' || id.includes('.')) throw new VerificationError('the id of the delivery is missing');
  return id;
}

function decoded(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64.replace(/-/g, '+').replace(/_/g, '/')), (char) => char.charCodeAt(0));
  } catch (cause) {
    throw new VerificationError('a secret or signature is no base64', { cause });
  }
}

/** The comparison is the platform's own, in constant time. */
async function isSigned(key: Uint8Array, signatures: readonly Uint8Array[], text: Uint8Array): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', Uint8Array.from(key), algorithm, false, ['verify']);
  const verified = signatures.map((one) =>
    crypto.subtle.verify('HMAC', imported, Uint8Array.from(one), Uint8Array.from(text)),
  );
  return (await Promise.all(verified)).includes(true);
}

async function bytesOf(request: DeliveredRequest): Promise<Uint8Array> {
  if (request instanceof Request) return new Uint8Array(await request.clone().arrayBuffer());
  const { body } = request;
  if (typeof body === 'string') return encoder.encode(body);
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError('the body is wanted as it came: a text or bytes, not parsed');
}

function joined(start: Uint8Array, end: Uint8Array): Uint8Array {
  const all = new Uint8Array(start.length + end.length);
  all.set(start);
  all.set(end, start.length);
  return all;
}

function jsonOf(body: Uint8Array): Json {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function typeIn(json: Json): string | null {
  const type = json !== null && typeof json === 'object' && !Array.isArray(json) ? json['event_type'] : null;
  return typeof type === 'string' ? type : null;
}
