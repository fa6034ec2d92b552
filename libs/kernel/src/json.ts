/** What can be stored and sent. */
export type Json = string | number | boolean | null | Json[] | { [member: string]: Json };
export type JsonObject = { [member: string]: Json };

/**
 * Writes a folded state as JSON text; maps and sets survive the way there and back.
 *
 * Takes    plain data, `Map` and `Set` at any depth.
 * Gives    text that `decodeState` turns into an equal value; equal states give equal text (insertion order is kept).
 */
export function encodeState(state: unknown): string {
  return JSON.stringify(state, (_member, value: unknown) => {
    if (value instanceof Map) return { $map: [...value] };
    if (value instanceof Set) return { $set: [...value] };
    return value;
  });
}

/** Reads what `encodeState` wrote. Refuses nothing itself: text that is not JSON throws a `SyntaxError`. */
export function decodeState<S>(text: string): S {
  return JSON.parse(text, (_member, value: unknown) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      const wrapped = value as { $map?: [unknown, unknown][]; $set?: unknown[] };
      if (Array.isArray(wrapped.$map)) return new Map(wrapped.$map);
      if (Array.isArray(wrapped.$set)) return new Set(wrapped.$set);
    }
    return value;
  }) as S;
}

/** The object that a text of JSON is; null for any other text. */
export function jsonObjectIn(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
  } catch {
    return null; // no JSON
  }
}

/** JSON with members in code-unit order: the same value always gives the same text. Takes plain data. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(inMemberOrder(value));
}

/** A copy with the members of every object in code-unit order, without those that are undefined. Takes plain data. */
export function inMemberOrder<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inMemberOrder) as T;
  const ordered: Record<string, unknown> = {};
  for (const member of membersInOrder(value)) {
    const inner = (value as Record<string, unknown>)[member];
    if (inner !== undefined) ordered[member] = inMemberOrder(inner);
  }
  return ordered as T;
}

/** Few members are put in their places one by one: `sort` copies, and asks for each pair through the engine. */
const fewMembers = 32;

function membersInOrder(value: object): string[] {
  const members = Object.keys(value);
  if (members.length > fewMembers) return members.sort();
  for (let at = 1; at < members.length; at += 1) {
    const member = members[at]!;
    let to = at;
    for (; to > 0 && members[to - 1]! > member; to -= 1) members[to] = members[to - 1]!;
    members[to] = member;
  }
  return members;
}

/** Marks a place that no value can reach; a new case of a union does not compile until it is handled. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}

/** Of JSON, for a UTF-16 unit of text or what `jsonSize` takes for a number. */
export const bytesPerUnitMax = 6;

/** What a value takes as JSON at most. Writes nothing. */
export function jsonSizeMax(value: Json): number {
  return bytesPerUnitMax * jsonSize(value);
}

/**
 * About the bytes that a value takes as JSON: exact for plain ASCII text, within a small factor for any other. Writes
 * nothing.
 */
export function jsonSize(value: Json): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 4;
  let size = 2;
  if (Array.isArray(value)) for (const inner of value) size += 1 + jsonSize(inner);
  else for (const member in value) size += member.length + 4 + jsonSize(value[member] ?? null);
  return size;
}
