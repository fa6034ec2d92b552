/** What can be stored and sent. */
export type Json = string | number | boolean | null | Json[] | { [member: string]: Json };
export type JsonObject = { [member: string]: Json };

/** Whether a JSON value is an object, not an array or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Bytes of the value as JSON text in UTF-8. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Members by which the text of a state says what a value is. */
interface Marked {
  $map?: [unknown, unknown][];
  $set?: unknown[];
  /** Members of an object of a caller's that has one of these three itself. */
  $object?: [string, unknown][];
}

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
    return typeof value === 'object' && value !== null && isMarked(value) ? { $object: Object.entries(value) } : value;
  });
}

/** Reads what `encodeState` wrote. Refuses nothing itself: text that is not JSON throws a `SyntaxError`. */
export function decodeState<S>(text: string): S {
  return JSON.parse(text, (_member, value: unknown) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      const { $map: map, $set: set, $object: members } = value as Marked;
      if (map) return new Map(map);
      if (set) return new Set(set);
      if (members) return Object.fromEntries(members);
    }
    return value;
  }) as S;
}

function isMarked(value: object): boolean {
  return '$map' in value || '$set' in value || '$object' in value;
}

/**
 * Levels of nesting that JSON from outside may have (control S14): what walks a value calls itself for each level, and
 * a value that was recorded is walked again and again.
 */
export const jsonDepthMax = 64;

const quote = 0x22;
const backslash = 0x5c;

/** Whether JSON is nested over so many levels. One pass over its bytes, before anything is built. */
export function isNestedTooDeep(bytes: Uint8Array, levelsMax = jsonDepthMax): boolean {
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
      if (depth > levelsMax) return true;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
    }
  }
  return false;
}

/** A number over 1e308 has an exponent of three digits, or 210 digits in front of one of two. */
const mayBeInfinite = /\d[eE]\+?\d{3}|(?<!\d)\d{210}/;
const mayNamePrototype = /__proto__|constructor|\\u/;

/**
 * What of JSON from outside is not taken; null for JSON that is. A member named like a part of a prototype is lost or
 * does harm where a value is copied, and a number beyond every double would be stored as null.
 *
 * Takes    the text, and the value that it is.
 */
export function jsonFault(text: string, value: unknown): string | null {
  if (mayNamePrototype.test(text) && someNode(value, hasPrototypeMember)) return 'holds a member that is not allowed';
  if (mayBeInfinite.test(text) && someNode(value, isInfinite)) return 'holds a number that is too large';
  return null;
}

function hasPrototypeMember(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if (Object.hasOwn(node, '__proto__')) return true;
  const constructor: unknown = Object.hasOwn(node, 'constructor')
    ? (node as { constructor: unknown }).constructor
    : null;
  return typeof constructor === 'object' && constructor !== null && Object.hasOwn(constructor, 'prototype');
}

const isInfinite = (node: unknown): boolean => node === Infinity || node === -Infinity;

function someNode(root: unknown, isMeant: (node: unknown) => boolean): boolean {
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (isMeant(node)) return true;
    if (typeof node === 'object' && node !== null) for (const member of Object.values(node)) waiting.push(member);
  }
  return false;
}

/**
 * The value of a text from outside; undefined for one that is no JSON, is nested over `jsonDepthMax`, or is not taken
 * (`jsonFault`).
 */
export function outsideJson(text: string): Json | undefined {
  if (isNestedTooDeep(Buffer.from(text))) return undefined; // before it is built
  try {
    const value = JSON.parse(text) as Json;
    return jsonFault(text, value) === null ? value : undefined;
  } catch {
    return undefined; // no JSON
  }
}

/** The object that a text of JSON from outside is; null for any other text. */
export function jsonObjectIn(text: string): JsonObject | null {
  const value = outsideJson(text);
  return isJsonObject(value) ? value : null;
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
