import type { Json } from '@aos/kernel';

/** What a page of a list holds before it ends early, with more to come; one item alone may be larger. Ours. */
export const pageBytesMax = 8 * 1024 * 1024;

/** Of JSON, for a UTF-16 unit of text or what `jsonSize` takes for a number. */
const bytesPerUnitMax = 6;

/** What a value takes as JSON at most. Writes nothing. */
export function jsonSizeMax(value: Json): number {
  return bytesPerUnitMax * jsonSize(value);
}

/** About the bytes that a value takes as JSON: exact for plain ASCII text, within a small factor for any other. Writes nothing. */
export function jsonSize(value: Json): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 4;
  let size = 2;
  if (Array.isArray(value)) for (const inner of value) size += 1 + jsonSize(inner);
  else for (const member in value) size += member.length + 4 + jsonSize(value[member] ?? null);
  return size;
}
