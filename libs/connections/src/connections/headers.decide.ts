import { invalidArgument, type Refusal, withoutBlanks } from '@aos/kernel';
import { headerBytesMax, secretCharactersMax, secretCharactersMin } from '../connection/connection.limits.js';

const headersMax = 8;
const tokenForm = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
/** Headers that HTTP, egress or the signature of a call sets (rule TE20); lower case. */
const reserved: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'cookie2',
  'date',
  'expect',
  'forwarded',
  'host',
  'idempotency-key',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
]);
const reservedPrefixes = ['x-svc-', 'webhook-', 'x-forwarded-', 'proxy-', 'sec-'];

/** Refuses invalid_argument {argument} for a name that no header has, or that is set by the service. */
export function requireHeader(argument: string, name: string): void {
  if (!tokenForm.test(name) || name === '__proto__') throw invalidArgument(argument, 'is no name of a header');
  const lower = name.toLowerCase();
  if (reserved.has(lower) || reservedPrefixes.some((prefix) => lower.startsWith(prefix)))
    throw reservedHeader(argument, name);
}

/** For a header that is set by the service itself. */
export function reservedHeader(argument: string, name: string): Refusal {
  return invalidArgument(argument, `${name} is set by the service and cannot carry a secret`, { reason: 'reserved' });
}

export function requireFormat(format: string): void {
  if (!format.includes('{secret}')) throw invalidArgument('format', '{secret} must stand in it');
  if (/\p{Cc}/u.test(format)) throw invalidArgument('format', 'must not hold control characters');
}

/**
 * The length is that of what an endpoint reads.
 *
 * Refuses  invalid_argument {argument} for a secret that is missing, of another length, or has control characters.
 * Source   rule TE20.
 */
export function requireSecret(argument: string, secret: string | undefined): string {
  if (secret === undefined) throw invalidArgument(argument, 'this kind needs a secret');
  if (withoutBlanks(secret).length < secretCharactersMin || secret.length > secretCharactersMax) {
    const lengths = `${secretCharactersMin} to ${secretCharactersMax}`;
    throw invalidArgument(argument, `a secret has ${lengths} characters, blanks around it not counted`);
  }
  if (/[\p{Cc}\p{Cs}]/u.test(secret)) throw invalidArgument(argument, 'a secret holds no control characters');
  return secret;
}

/** Header names and values, checked: each value is a secret. Refuses invalid_argument {argument: headers}. */
export function requireHeaders(headers: Record<string, string> | undefined): Record<string, string> {
  const entries = Object.entries(headers ?? {});
  if (entries.length === 0 || entries.length > headersMax)
    throw invalidArgument('headers', `this kind needs 1 to ${headersMax} headers`);
  const names = new Set(entries.map(([name]) => name.toLowerCase()));
  if (names.size !== entries.length) throw invalidArgument('headers', 'two headers have one name');
  for (const [name, value] of entries) {
    requireHeader('headers', name);
    requireSecret('headers', value);
  }
  if (entries.reduce((sum, [, value]) => sum + Buffer.byteLength(value), 0) > headerBytesMax)
    throw invalidArgument('headers', `all values together have at most ${headerBytesMax} bytes`);
  return Object.fromEntries(entries);
}
