import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { GenerationalCache } from './generational-cache.js';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'; // Crockford's base 32, lower case

/** The value of each character, by its code. */
const digits: readonly (number | undefined)[] = Array.from({ length: 128 }, (_, code) => {
  const digit = alphabet.indexOf(String.fromCharCode(code));
  return digit < 0 ? undefined : digit;
});

/** Prefixes of rule G7. */
export type IdPrefix =
  | 'org'
  | 'user'
  | 'svc'
  | 'wrk'
  | 'agent'
  | 'act'
  | 'skill'
  | 'tbl'
  | 'row'
  | 'ses'
  | 'turn'
  | 'msg'
  | 'nudge'
  | 'iact'
  | 'iresp'
  | 'role'
  | 'rasg'
  | 'cred'
  | 'tok'
  | 'mem'
  | 'evt'
  | 'email'
  | 'inv'
  | 'job'
  | 'dlv'
  | 'art'
  | 'rtn'
  | 'rprop'
  | 'occ'
  | 'hook'
  | 'conn'
  | 'chan'
  | 'exch';

/** Gives the bytes in base 32, five bits a character, cut to `length` characters. */
export function base32(bytes: Uint8Array, length: number): string {
  let text = '';
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5 && text.length < length) {
      bits -= 5;
      text += alphabet[(buffer >> bits) & 31];
    }
    buffer &= (1 << bits) - 1;
    if (text.length >= length) break;
  }
  return text;
}

/** A whole number as `width` base-32 characters; order of text is order of numbers. */
export function base32Number(value: number, width: number): string {
  let rest = value;
  let text = '';
  for (let index = 0; index < width; index += 1) {
    text = (alphabet[rest % 32] ?? '0') + text;
    rest = Math.floor(rest / 32);
  }
  if (rest > 0) throw new Error(`${value} does not fit ${width} characters`);
  return text;
}

/** Reads `base32Number`; gives null for text that is not one. */
export function parseBase32Number(text: string): number | null {
  let value = 0;
  for (let index = 0; index < text.length; index += 1) {
    const digit = digits[text.charCodeAt(index)];
    if (digit === undefined) return null;
    value = value * 32 + digit;
  }
  return value;
}

const idLength = 26;
/** Salts whose key objects are kept: one for each organization that is at work. */
const saltsMax = 1_000;
const saltKeys = new GenerationalCache<KeyObject>(saltsMax);

/**
 * An id derived from its parts: the same parts always give it, and working it out needs the salt.
 *
 * Takes    a prefix, the organization's salt, and the parts (joined so that no two lists of parts meet).
 * Gives    `<prefix>_` and 26 characters, 130 bits.
 */
export function derivedId(prefix: IdPrefix, salt: string, parts: readonly string[]): string {
  return `${prefix}_${saltedHash(salt, [prefix, ...parts])}`;
}

/** 26 characters that follow from the parts, and that only who has the salt can work out. */
export function saltedHash(salt: string, parts: readonly string[]): string {
  let text = '';
  for (const part of parts) text += `${Buffer.byteLength(part)}:${part};`;
  return base32(createHmac('sha256', saltKey(salt)).update(text).digest(), idLength);
}

function saltKey(salt: string): KeyObject {
  const kept = saltKeys.get(salt);
  if (kept) return kept;
  const key = createSecretKey(Buffer.from(salt, 'utf8'));
  saltKeys.set(salt, key);
  return key;
}

/** SHA-256 of text as base 32, `length` characters (at most 51). */
export function hash32(text: string | Uint8Array, length = idLength): string {
  return base32(hash('sha256', text, 'buffer'), length);
}

export function sha256Hex(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}

/** A name-based UUID (version 5, SHA-1): the id of an event that a repeat must write again identically. */
export function uuidFrom(...parts: string[]): string {
  const bytes = hash('sha1', parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join(';'), 'buffer').subarray(
    0,
    16,
  );
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** True for `<prefix>_` and 20 to 120 characters of the alphabet: a cheap refusal before any look-up. */
export function looksLikeId(prefix: IdPrefix, text: string): boolean {
  if (!text.startsWith(`${prefix}_`)) return false;
  const rest = text.slice(prefix.length + 1);
  return rest.length >= 20 && rest.length <= 120 && /^[0-9a-z]+$/.test(rest);
}

/** The part behind the prefix. */
export function idPart(id: string): string {
  return id.slice(id.indexOf('_') + 1);
}
