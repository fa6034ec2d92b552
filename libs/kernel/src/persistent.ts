/**
 * Lists and maps that grow for ever and are values: a change gives another one and shares what it can with the one
 * before. They are plain arrays of chunks and maps, so `encodeState` and `decodeState` need nothing new (ADR 18).
 */

const chunkLength = 64;

/** Chunks of `chunkLength` values each, but for the last one. */
export type PersistentList<V> = readonly (readonly V[])[];

/** Maps, the larger ones first; a key stands for what the last map that has it says. */
export type PersistentMap<K, V> = readonly ReadonlyMap<K, V>[];

/** A list or a map without entries. */
export const nothing: readonly never[] = Object.freeze([]);

export function listLength(list: PersistentList<unknown>): number {
  const last = list.at(-1);
  return last ? (list.length - 1) * chunkLength + last.length : 0;
}

/** Undefined outside the list. */
export function listAt<V>(list: PersistentList<V>, index: number): V | undefined {
  return list[Math.floor(index / chunkLength)]?.[index % chunkLength];
}

/** The list with a value behind its last one. Costs a chunk and the list of chunks. */
export function appended<V>(list: PersistentList<V>, value: V): PersistentList<V> {
  const last = list.at(-1);
  if (!last || last.length === chunkLength) return [...list, [value]];
  return list.with(-1, [...last, value]);
}

/** The list with another value at an index that it has. */
export function replacedAt<V>(list: PersistentList<V>, index: number, value: V): PersistentList<V> {
  const at = Math.floor(index / chunkLength);
  const chunk = list[at];
  const within = index % chunkLength;
  if (!chunk || within >= chunk.length) throw new RangeError(`no entry ${index} in a list of ${listLength(list)}`);
  return list.with(at, chunk.with(within, value));
}

/** The values in order. */
export function listValues<V>(list: PersistentList<V>): V[] {
  return list.flat(1) as V[];
}

/** Looks into few maps: each is at least twice as large as the next. */
export function mapGet<K, V>(map: PersistentMap<K, V>, key: K): V | undefined {
  for (let at = map.length - 1; at >= 0; at -= 1) {
    const found = map[at]?.get(key);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The map with a value at a key. Costs the logarithm of its size for each entry, taken over many: maps that are no
 * longer twice as large as what comes behind them are merged.
 */
export function withEntry<K, V>(map: PersistentMap<K, V>, key: K, value: V): PersistentMap<K, V> {
  let kept = map.length;
  let behind = 1;
  for (; kept > 0; kept -= 1) {
    const size = map[kept - 1]?.size ?? 0;
    if (size >= 2 * behind) break;
    behind += size;
  }
  const merged = new Map<K, V>();
  for (const part of map.slice(kept)) for (const [each, held] of part) merged.set(each, held);
  merged.set(key, value);
  return [...map.slice(0, kept), merged];
}
