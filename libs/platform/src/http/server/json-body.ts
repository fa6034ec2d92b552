import { badRequest, isNestedTooDeep, jsonDepthMax, jsonFault } from '@aos/kernel';

const token = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/.source;
const quoted = /"[^"\\\r\n]{0,100}"/.source;
const parameter = `${token}=(?:${token}|${quoted})`;
const jsonType = new RegExp(`^application/json[ \\t]*(?:;[ \\t]*(?:${parameter}[ \\t]*)?)*$`, 'i');
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * True for `application/json` with any well-formed parameters, also empty ones (RFC 9110, section 5.6.6), and for
 * nothing that only looks like it (control S15).
 */
export function isJsonContentType(value: string | undefined): boolean {
  return value !== undefined && value.length <= 200 && jsonType.test(value);
}

/**
 * The one JSON parser of every route.
 *
 * Takes    the bytes of a body; none are no body, whatever the content type says (rule G10).
 * Gives    the value, or undefined for no body.
 * Refuses  `bad_request` for text that is not UTF-8 or not JSON, nesting over 64 levels, members named like parts of a
 *          prototype, and numbers beyond every double: they would be stored as null.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (isNestedTooDeep(bytes)) throw refused(`is nested more than ${jsonDepthMax} levels deep`);
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
  const fault = jsonFault(text, value);
  if (fault !== null) throw refused(fault);
  return value;
}

function refused(message: string): Error {
  return badRequest([{ path: '', message: `the body ${message}` }]);
}
