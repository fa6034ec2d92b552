import { Injectable } from '@nestjs/common';
import {
  Blobs,
  StoreUnavailable,
  bytesPerUnitMax,
  jsonBytes,
  type Json,
  type JsonObject,
  type Writes,
} from '@aos/kernel';

/** Text longer than this (UTF-16 units) leaves its event for the blob store. */
const textMax = 64 * 1024;
/** An event above this gives up its next largest values too (bytes of JSON). */
const eventBytesTarget = 200 * 1024;
/** The whole append likewise. */
const appendBytesTarget = 800 * 1024;
/** Texts below this leave only together with what holds them. */
const shortTextBytes = 512;
/** The same for the lists and objects of records that stay: however many there are, the event stays small. */
const shortPartBytes = 256;
/** Of an event no larger than this only texts leave, however many share its append: the fold reads the rest. */
const recordBytes = 2 * 1024;
const marker = '$blob';
const digest = /^[0-9a-f]{64}$/;
/** `refs` is JSON that holds references of the service; in plain `json` a value that looks like one is the caller's. */
const encodings = ['utf8', 'base64', 'json', 'refs'] as const;

/** Exactly these members, in this order: a caller's object like it is stored in the other order. */
type Reference = { [marker]: string; enc: (typeof encodings)[number] };

/** Where a value stands. */
interface Place {
  parent?: JsonObject | Json[];
  member?: string | number;
  /** Inside metadata, which holds no blocks of the service. */
  isOpaque?: boolean;
}

interface Location {
  parent: JsonObject | Json[];
  member: string | number;
  bytes: number;
}

/**
 * Claim check: what is too large for the log stands in it by reference.
 *
 * Text over 64 Ki characters and the media of blocks always; then, while an event is over 200 KiB or the append over
 * 800 KiB, its next largest values. A blob is durable before the event that names it. Every reference in the log is of
 * the service: a caller's object with the members of one stands there in the other order, which is the same JSON. A
 * state and its rows show it as it was sent therefore, and nothing has to be put back.
 */
@Injectable()
export class Payloads {
  /**
   * References that were made here, or read from the log; any other value that looks like one is a caller's.
   */
  private readonly ours = new WeakSet<object>();

  constructor(private readonly blobs: Blobs) {}

  /**
   * Takes    the organization and the data of the events of one append; for each the member whose records stay, if it
   *          has one; which release must be able to read what is written.
   * Gives    the data to store; the same objects when nothing had to leave. And about the bytes of what is stored.
   */
  async spill(
    orgId: string,
    list: readonly JsonObject[],
    records: readonly (string | undefined)[] = [],
    writes: Writes = 'current',
  ): Promise<{ stored: JsonObject[]; bytes: number }> {
    const stored: JsonObject[] = [];
    let [total, bytes] = [0, 0];
    for (const [index, data] of list.entries()) {
      const size = plainSize(data); // most events are small: they need not be written to be measured
      const bytesMax = bytesPerUnitMax * size;
      if (size !== notPlain && (bytesMax <= textMax || JSON.stringify(data).length <= textMax)) {
        stored.push(data);
        total += bytesMax;
        bytes += size;
        continue;
      }
      const copy = this.cloned(data);
      if (writes === 'previous') await this.spillLookAlikes(orgId, copy);
      const isTurned = turnLookAlikes({ copy }, 'copy', (value) => this.isOurs(value));
      await this.spillAlways(orgId, copy);
      const left = await this.shrink(orgId, copy, eventBytesTarget, records[index]);
      stored.push(isTurned || holdsReference(copy) ? copy : data);
      total += left;
      bytes += left;
    }
    if (total > appendBytesTarget) total = stored.reduce((sum, data) => sum + jsonBytes(data), 0);
    for (let index = 0; total > appendBytesTarget && index < stored.length; index += 1) {
      const copy =
        stored[index] === list[index] ? this.cloned(stored[index] as JsonObject) : (stored[index] as JsonObject);
      const before = jsonBytes(copy);
      const target = Math.floor(appendBytesTarget / stored.length);
      total += (await this.shrink(orgId, copy, target, records[index])) - before;
      stored[index] = copy;
    }
    return { stored, bytes };
  }

  /**
   * Takes what the log holds, or a state that was folded from it. Its references are ours, and stay as they are when a
   * decision writes them again.
   */
  recognize(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    if (isReference(value as Json)) {
      this.ours.add(value);
      return;
    }
    const inner = value instanceof Map ? [...value.keys(), ...value.values()] : value;
    for (const one of inner instanceof Set ? inner : Object.values(inner)) this.recognize(one);
  }

  /**
   * Puts the values back, at any depth. The value itself is returned when it holds no reference; what is given back
   * holds none.
   */
  async hydrate<T>(orgId: string, value: T): Promise<T> {
    if (!holdsReference(value as Json)) return value;
    const holder: JsonObject = { value: structuredClone(value) as Json };
    await this.fill(orgId, holder, 'value');
    return holder.value as T;
  }

  private async fill(orgId: string, parent: JsonObject | Json[], member: string | number): Promise<void> {
    const value = (parent as Record<string | number, Json>)[member] as Json;
    if (typeof value !== 'object' || value === null) return;
    if (isReference(value)) {
      const bytes = await this.blobs.get(orgId, value[marker]);
      if (!bytes) throw new StoreUnavailable(`blob ${value[marker]} is missing`);
      const text = Buffer.from(bytes).toString(value.enc === 'base64' ? 'base64' : 'utf8');
      (parent as Record<string | number, Json>)[member] =
        value.enc === 'json' || value.enc === 'refs' ? (JSON.parse(text) as Json) : text;
      if (value.enc === 'refs') await this.fill(orgId, parent, member);
      if (value.enc === 'json') turnLookAlikes(parent, member);
      return;
    }
    for (const inner of membersOf(value)) await this.fill(orgId, value, inner);
  }

  private async spillAlways(orgId: string, value: Json, at: Place = {}): Promise<void> {
    const { parent, member } = at;
    if (typeof value === 'string') {
      if (value.length > textMax && parent && member !== undefined)
        await this.replace(orgId, { parent, member, bytes: value.length });
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    if (member === 'source' && !at.isOpaque && isMedia(value))
      await this.replace(orgId, { parent: value, member: 'data', bytes: value.data.length }, 'base64');
    const isOpaque = at.isOpaque || member === 'metadata';
    for (const inner of membersOf(value)) {
      const child = (value as Record<string | number, Json>)[inner] as Json;
      if (!this.isOurs(child)) await this.spillAlways(orgId, child, { parent: value, member: inner, isOpaque });
    }
  }

  /** As the release before does it, which takes each object with the marker for a reference: they become blobs. */
  private async spillLookAlikes(orgId: string, value: Json): Promise<void> {
    if (typeof value !== 'object' || value === null) return;
    for (const member of membersOf(value)) {
      const child = (value as Record<string | number, Json>)[member] as Json;
      if (typeof child !== 'object' || child === null || this.isOurs(child)) continue;
      if (marker in child) await this.replace(orgId, { parent: value, member, bytes: 0 });
      else await this.spillLookAlikes(orgId, child);
    }
  }

  /**
   * Moves the largest texts, then the largest lists and objects, until the JSON is small enough. Gives the bytes that
   * are left.
   * Costs one walk for the texts and one for each list or object; a member that holds others of its size stays, so that
   * what names a record stays.
   */
  private async shrink(orgId: string, data: JsonObject, target: number, records?: string): Promise<number> {
    let bytes = jsonBytes(data);
    if (bytes <= target) return bytes;
    const kept = records === undefined ? undefined : data[records];
    if (Array.isArray(kept)) return this.shrinkRecords(orgId, kept as JsonObject[], bytes, target);
    for (const location of locations(data, (value) => this.isOurs(value)).sort((a, b) => b.bytes - a.bytes)) {
      if (bytes <= target || location.bytes < shortTextBytes) break;
      bytes -= await this.replace(orgId, location);
    }
    const next = () => largestLocation(data, (value) => this.isOurs(value));
    for (let location = next(); bytes > Math.max(target, recordBytes) && location; location = next())
      bytes -= await this.replace(orgId, location, 'refs');
    return bytes;
  }

  /** As `shrink`, for a list of records: each keeps its texts; its lists and objects leave, largest record first. */
  private async shrinkRecords(orgId: string, records: JsonObject[], size: number, target: number): Promise<number> {
    let bytes = size;
    const largestFirst = records
      .map((record) => ({ record, bytes: jsonBytes(record) }))
      .sort((a, b) => b.bytes - a.bytes);
    for (const { record } of largestFirst) {
      const next = () => largestLocation(record, (value) => this.isOurs(value), shortPartBytes);
      for (let location = next(); bytes > target && location; location = next())
        bytes -= await this.replace(orgId, location, 'refs');
    }
    return bytes;
  }

  /** Gives how many bytes of JSON that saved. */
  private async replace(orgId: string, { parent, member }: Location, encoding?: 'base64' | 'refs'): Promise<number> {
    const value = (parent as Record<string | number, Json>)[member] as Json;
    const enc = typeof value === 'string' && encoding !== 'base64' ? 'utf8' : (encoding ?? 'json');
    const bytes = Buffer.from(
      typeof value === 'string' ? value : JSON.stringify(value),
      enc === 'base64' ? 'base64' : 'utf8',
    );
    const reference: Reference = { [marker]: await this.blobs.put(orgId, bytes), enc };
    this.ours.add(reference);
    (parent as Record<string | number, Json>)[member] = reference;
    return jsonBytes(value) - jsonBytes(reference);
  }

  /** A copy that may be changed; references of ours are the same objects in it. */
  private cloned<T extends Json>(value: T): T {
    if (typeof value !== 'object' || value === null || this.isOurs(value)) return value;
    if (Array.isArray(value)) return value.map((inner) => this.cloned(inner)) as T;
    return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, this.cloned(inner)])) as T;
  }

  private isOurs(value: Json): boolean {
    return typeof value === 'object' && value !== null && this.ours.has(value);
  }
}

function isReference(value: Json | undefined): value is Json & Reference {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const key = value[marker]; // few objects have it
  if (typeof key !== 'string' || !digest.test(key)) return false;
  const members = Object.keys(value);
  return members.length === 2 && members[0] === marker && encodings.some((known) => known === value.enc);
}

/**
 * Turns objects that have exactly the members of a reference round, at any depth, but those that `isOurs` names; gives
 * whether there were any.
 */
function turnLookAlikes(
  parent: JsonObject | Json[],
  member: string | number,
  isOurs: (value: Json) => boolean = () => false,
): boolean {
  const value = (parent as Record<string | number, Json>)[member] as Json;
  if (typeof value !== 'object' || value === null || isOurs(value)) return false;
  if (isReference(value)) {
    (parent as Record<string | number, Json>)[member] = { enc: value.enc, [marker]: value[marker] };
    return true;
  }
  let isTurned = false;
  for (const inner of membersOf(value)) isTurned = turnLookAlikes(value, inner, isOurs) || isTurned;
  return isTurned;
}

function membersOf(value: JsonObject | Json[]): Iterable<string | number> {
  return Array.isArray(value) ? value.keys() : Object.keys(value);
}

/** The source of a block, whose bytes give back the text that stands for them. */
function isMedia(value: JsonObject | Json[]): value is JsonObject & { data: string } {
  if (Array.isArray(value)) return false;
  const { type, data } = value;
  return type === 'base64' && typeof data === 'string' && Buffer.from(data, 'base64').toString('base64') === data;
}

/** Looks at every value and builds nothing: most events hold none. */
function holdsReference(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsReference);
  if (isReference(value)) return true;
  for (const member in value) if (holdsReference(value[member] as Json)) return true;
  return false;
}

const notPlain = -1;

/** As `jsonSize`; `notPlain` where inline media is in it, or a member that is named like our marker. */
function plainSize(value: Json | undefined): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 4;
  let size = 2;
  if (Array.isArray(value)) {
    for (const inner of value) {
      const innerSize = plainSize(inner);
      if (innerSize === notPlain) return notPlain;
      size += 1 + innerSize;
    }
    return size;
  }
  for (const member in value) {
    const inner = value[member];
    if (member === marker || (inner === 'base64' && member === 'type')) return notPlain;
    const innerSize = plainSize(inner);
    if (innerSize === notPlain) return notPlain;
    size += member.length + 4 + innerSize;
  }
  return size;
}

function locations(value: Json, isOurs: (value: Json) => boolean, found: Location[] = []): Location[] {
  if (typeof value !== 'object' || value === null || isOurs(value)) return found;
  for (const member of membersOf(value)) {
    const child = (value as Record<string | number, Json>)[member] as Json;
    if (typeof child === 'string') found.push({ parent: value, member, bytes: Buffer.byteLength(child) });
    else locations(child, isOurs, found);
  }
  return found;
}

/**
 * The largest list, or the largest object that no single list or object inside makes up for the most part; null when
 * none is worth a reference.
 */
function largestLocation(
  root: JsonObject,
  isOurs: (value: Json) => boolean,
  leastBytes = shortTextBytes,
): Location | null {
  let found: Location | null = null;
  for (let holder = root; ;) {
    let largest: Location | null = null;
    for (const [member, value] of Object.entries(holder)) {
      if (typeof value !== 'object' || value === null || isOurs(value)) continue;
      const bytes = jsonBytes(value);
      if (bytes >= leastBytes && bytes > (largest?.bytes ?? 0)) largest = { parent: holder, member, bytes };
    }
    if (!largest || (found && largest.bytes < found.bytes / 2)) return found;
    found = largest;
    const inner = holder[largest.member] as Json;
    if (Array.isArray(inner)) return found;
    holder = inner as JsonObject;
  }
}
