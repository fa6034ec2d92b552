import { hash } from 'node:crypto';

/** Partitions of sessions and interactions, by which processes share them out. Not those of a Kafka topic. */
export const ownerPartitions = 256;
/** Groups of eight partitions that a regular expression on the stream's name can tell apart. */
export const lanes = 32;

const partitionsOfLane = ownerPartitions / lanes;
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const valueOf: ReadonlyMap<string, number> = new Map([...alphabet].map((character, value) => [character, value]));
const partitioned = /^(?:session|interaction)-/;

/** One process that may own partitions. */
export interface OwnerCandidate {
  /** Where it is reached; unique. */
  address: string;
  /** Its share beside the others', from 0 (owns nothing) to 1. */
  weight: number;
}

/**
 * Partition of a stream's owner, from the last two characters of its name: frozen, since processes of two releases must
 * agree (rule TP21).
 *
 * Gives    0 to 255. Even for streams of sessions and interactions only, whose ids end in random or hashed base 32.
 */
export function ownerPartition(stream: string): number {
  return partitionsOfLane * laneOf(stream) + (valueAt(stream, stream.length - 2) >> 2);
}

/** Lane of a stream's partition, 0 to 31: the value of its last character. */
export function laneOf(stream: string): number {
  return valueAt(stream, stream.length - 1);
}

/** Partition of a stream that has an owner; null for streams of other kinds. */
export function ownedPartition(stream: string): number | null {
  return partitioned.test(stream) ? ownerPartition(stream) : null;
}

function valueAt(stream: string, at: number): number {
  const character = stream.charAt(at);
  return valueOf.get(character) ?? (character === '' ? 0 : character.charCodeAt(0) % lanes);
}

/**
 * Who owns which partition, by weighted rendezvous: a function of the candidates alone, so that all who know the same
 * candidates agree without asking, and a change moves only what must move (rule TP23).
 */
export class OwnerMap {
  private readonly orders = new Map<number, readonly string[]>();

  /** Takes who may own; those without weight own nothing. */
  constructor(private readonly candidates: readonly OwnerCandidate[]) {}

  /** The owner's address first, then who would own it next, and so on. Empty when there is no candidate with weight. */
  order(partition: number): readonly string[] {
    const known = this.orders.get(partition);
    if (known) return known;
    const order = this.candidates
      .filter(({ weight }) => weight > 0)
      .map(({ address, weight }) => ({ address, score: weight / -Math.log(shareOf(partition, address)) }))
      .sort((a, b) => b.score - a.score || (a.address < b.address ? -1 : 1))
      .map(({ address }) => address);
    this.orders.set(partition, order);
    return order;
  }

  /** Null when there is no candidate with weight. */
  owner(partition: number): string | null {
    return this.order(partition)[0] ?? null;
  }
}

/** A number between 0 and 1, both left out, that follows from partition and address. */
function shareOf(partition: number, address: string): number {
  const digest = hash('sha256', `${partition} ${address}`, 'buffer');
  return (digest.readUIntBE(0, 6) + 0.5) / 2 ** 48;
}
