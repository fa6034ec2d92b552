import { badRequest } from '@aos/kernel';

/** Levels of nesting a body may have (control S14). */
export const jsonDepthMax = 64;

const token = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/.source;
const quoted = /"[^"\\\r\n]{0,100}"/.source;
const jsonType = new RegExp(`^application/json(?:[ \\t]*;[ \\t]*${token}=(?:${token}|${quoted}))*$`, 'i');
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * True for `application/json` with any well-formed parameters, and for nothing that only looks like it (control S15).
 */
export function isJsonContentType(value: string | undefined): boolean {
  return value !== undefined && value.length <= 200 && jsonType.test(value);
}

/**
 * The one JSON parser of every route.
 *
 * Takes    the bytes of a body; none are no body, whatever the content type says (rule G10).
 * Gives    the value, or undefined for no body.
 * Refuses  `bad_request` for text that is not UTF-8 or not JSON, nesting over 64 levels, and members named like parts
 *          of a prototype.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (isTooDeep(bytes)) throw refused(`is nested more than ${jsonDepthMax} levels deep`);
  let text: string;
  let value: unknown;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw refused('is not UTF-8');
  }
  try {
    value = JSON.parse(text);
  } catch {
    throw refused('is not JSON');
  }
  if (/__proto__|constructor|\\u/.test(text) && hasPrototypeMember(value))
    throw refused('holds a member that is not allowed');
  return value;
}

function refused(message: string): Error {
  return badRequest([{ path: '', message: `the body ${message}` }]);
}

const quote = 0x22;
const backslash = 0x5c;

/** One pass over the bytes, before anything is built. */
function isTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  let inText = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (inText) {
      if (byte === backslash) index += 1;
      else if (byte === quote) inText = false;
    } else if (byte === quote) {
      inText = true;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > jsonDepthMax) return true;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
    }
  }
  return false;
}

function hasPrototypeMember(root: unknown): boolean {
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (typeof node !== 'object' || node === null) continue;
    if (Object.hasOwn(node, '__proto__')) return true;
    const constructor: unknown = Object.hasOwn(node, 'constructor')
      ? (node as { constructor: unknown }).constructor
      : null;
    if (typeof constructor === 'object' && constructor !== null && Object.hasOwn(constructor, 'prototype')) return true;
    for (const member of Object.values(node)) if (typeof member === 'object') waiting.push(member);
  }
  return false;
}
