const seed = 0x9747b28c;
const factor = 0x5bd1e995;

/**
 * The partition of a key: positive murmur2 of its UTF-8 bytes modulo the partitions, as Kafka's own clients choose it.
 *
 * The relays name partitions themselves, so that they know which tail speaks of which key.
 */
export function partitionOf(key: string, partitions: number): number {
  return (murmur2(Buffer.from(key)) & 0x7fffffff) % partitions;
}

function murmur2(bytes: Buffer): number {
  let hash = seed ^ bytes.length;
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4) {
    const word = Math.imul(bytes.readInt32LE(at), factor);
    hash = Math.imul(hash, factor) ^ Math.imul(word ^ (word >>> 24), factor);
  }
  for (let rest = bytes.length - at; rest > 0; rest -= 1) {
    hash ^= (bytes[at + rest - 1] ?? 0) << (8 * (rest - 1));
    if (rest === 1) hash = Math.imul(hash, factor);
  }
  hash = Math.imul(hash ^ (hash >>> 13), factor);
  return hash ^ (hash >>> 15);
}
