import type { Json } from '@aos/kernel';

/** What a page of a list holds before it ends early, with more to come; one item alone may be larger. Ours. */
export const pageBytesMax = 8 * 1024 * 1024;

/** About the bytes that a value takes as JSON: exact for plain ASCII text, within a small factor for any other. Writes nothing. */
export function jsonSize(value: Json): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 4;
  if (Array.isArray(value)) return value.reduce<number>((sum, inner) => sum + jsonSize(inner) + 1, 2);
  let size = 2;
  for (const member of Object.keys(value)) size += member.length + 4 + jsonSize(value[member] ?? null);
  return size;
}
