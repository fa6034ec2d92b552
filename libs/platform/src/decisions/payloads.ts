import { Injectable } from '@nestjs/common';
import { Blobs, StoreUnavailable, type Json, type JsonObject, bytesPerUnitMax } from '@aos/kernel';

/** Text longer than this (UTF-16 units) leaves its event for the blob store. */
const textMax = 64 * 1024;
/** An event above this gives up its next largest values too (bytes of JSON). */
const eventBytesTarget = 200 * 1024;
/** The whole append likewise. */
const appendBytesTarget = 800 * 1024;
/** Texts below this leave only together with what holds them. */
const shortTextBytes = 512;
const marker = '$blob';

type Reference = {
  [marker]: string;
  /**
   * `refs` is JSON that holds references of the service; in plain `json` a value that looks like one is the caller's.
   */
  enc: 'utf8' | 'base64' | 'json' | 'refs';
};

interface Location {
  parent: JsonObject | Json[];
  member: string | number;
  bytes: number;
}

/**
 * Claim check: what is too large for the log stands in it by reference.
 *
 * Text over 64 Ki characters and inline media always; then, while an event is over 200 KiB or the append over 800 KiB,
 * its next largest values. A blob is durable before the event that names it. A caller's own member named like our
 * marker is stored as a blob itself, so that every reference in the log is ours.
 */
@Injectable()
export class Payloads {
  /**
   * References that were made here and now; any other value that looks like one is a caller's and becomes a blob
   * itself.
   */
  private readonly made = new WeakSet<object>();

  constructor(private readonly blobs: Blobs) {}

  /**
   * Takes    the organization and the data of the events of one append.
   * Gives    the data to store; the same objects when nothing had to leave. And about the bytes of what is stored.
   */
  async spill(orgId: string, list: readonly JsonObject[]): Promise<{ stored: JsonObject[]; bytes: number }> {
    const stored: JsonObject[] = [];
    let [total, bytes] = [0, 0];
    for (const data of list) {
      const size = plainSize(data); // most events are small: they need not be written to be measured
      const bytesMax = bytesPerUnitMax * size;
      if (size !== notPlain && (bytesMax <= textMax || JSON.stringify(data).length <= textMax)) {
        stored.push(data);
        total += bytesMax;
        bytes += size;
        continue;
      }
      const copy = structuredClone(data);
      await this.spillAlways(orgId, copy);
      const left = await this.shrink(orgId, copy, eventBytesTarget);
      stored.push(copy);
      total += left;
      bytes += left;
    }
    if (total > appendBytesTarget) total = stored.reduce((sum, data) => sum + byteLength(data), 0);
    for (let index = 0; total > appendBytesTarget && index < stored.length; index += 1) {
      const copy =
        stored[index] === list[index] ? structuredClone(stored[index] as JsonObject) : (stored[index] as JsonObject);
      const before = byteLength(copy);
      total += (await this.shrink(orgId, copy, Math.floor(appendBytesTarget / stored.length))) - before;
      stored[index] = copy;
    }
    return { stored, bytes };
  }

  /** Puts the values back, at any depth. The value itself is returned when it holds no reference. */
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
      return;
    }
    const members = Array.isArray(value) ? value.keys() : Object.keys(value);
    for (const inner of members) await this.fill(orgId, value, inner);
  }

  private async spillAlways(
    orgId: string,
    value: Json,
    parent?: JsonObject | Json[],
    member?: string | number,
  ): Promise<void> {
    if (typeof value === 'string') {
      if (value.length > textMax && parent && member !== undefined)
        await this.replace(orgId, { parent, member, bytes: value.length });
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) {
      if (marker in value && parent && member !== undefined) {
        await this.replace(orgId, { parent, member, bytes: 0 });
        return;
      }
      if (value.type === 'base64' && typeof value.data === 'string') {
        await this.replace(orgId, { parent: value, member: 'data', bytes: value.data.length }, 'base64');
      }
    }
    const members = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
    for (const inner of members) {
      const child = (value as Record<string | number, Json>)[inner] as Json;
      if (this.isOurs(child)) continue;
      await this.spillAlways(orgId, child, value, inner);
    }
  }

  /**
   * Moves the largest texts, then the largest lists and objects, until the JSON is small enough. Gives the bytes that
   * are left.
   * Costs one walk for the texts and one for each list or object; a member that holds others of its size stays, so that
   * what names a record stays.
   */
  private async shrink(orgId: string, data: JsonObject, target: number): Promise<number> {
    let bytes = byteLength(data);
    if (bytes <= target) return bytes;
    for (const location of locations(data, (value) => this.isOurs(value)).sort((a, b) => b.bytes - a.bytes)) {
      if (bytes <= target || location.bytes < shortTextBytes) break;
      bytes -= await this.replace(orgId, location);
    }
    const next = () => largestLocation(data, (value) => this.isOurs(value));
    for (let location = next(); bytes > target && location; location = next())
      bytes -= await this.replace(orgId, location, 'refs');
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
    this.made.add(reference);
    (parent as Record<string | number, Json>)[member] = reference;
    return byteLength(value) - byteLength(reference);
  }

  private isOurs(value: Json): boolean {
    return typeof value === 'object' && value !== null && this.made.has(value);
  }
}

function isReference(value: Json | undefined): value is Json & Reference {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && typeof value[marker] === 'string';
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

function byteLength(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function locations(value: Json, isOurs: (value: Json) => boolean, found: Location[] = []): Location[] {
  if (typeof value !== 'object' || value === null || isOurs(value)) return found;
  const members = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  for (const member of members) {
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
function largestLocation(root: JsonObject, isOurs: (value: Json) => boolean): Location | null {
  let found: Location | null = null;
  for (let holder = root; ;) {
    let largest: Location | null = null;
    for (const [member, value] of Object.entries(holder)) {
      if (typeof value !== 'object' || value === null || isOurs(value)) continue;
      const bytes = byteLength(value);
      if (bytes >= shortTextBytes && bytes > (largest?.bytes ?? 0)) largest = { parent: holder, member, bytes };
    }
    if (!largest || (found && largest.bytes < found.bytes / 2)) return found;
    found = largest;
    const inner = holder[largest.member] as Json;
    if (Array.isArray(inner)) return found;
    holder = inner as JsonObject;
  }
}
