import { canonicalJson, jsonBytes, type Json, type JsonObject } from '@aos/kernel';

/** Rule L18. */
export const envelopeBytesMax = 512 * 1024;
/** Texts that are cut one by one; beyond it whole members are emptied, so that the list of them stays short. Ours. */
const cutsMax = 100;

export type Envelope = {
  event_type: string;
  source_kind: string;
  source_id: string;
  event: JsonObject;
  meta: JsonObject;
};

interface Text {
  pointer: string;
  parent: JsonObject | Json[];
  member: string | number;
  text: string;
}

/**
 * Keeps an envelope within its size: the largest texts of the payload are cut to one common length, and
 * `meta.truncated` names them. When that is not enough, the payload's largest members are emptied.
 *
 * Takes    an envelope; it is not changed.
 * Gives    one of at most `bytesMax` bytes of canonical JSON; the same envelope always gives the same bytes.
 * Source   rule L18.
 */
export function withinSize(envelope: Envelope, bytesMax = envelopeBytesMax): Envelope {
  if (bytesOf(envelope) <= bytesMax) return envelope;
  return withTextsCut(envelope, bytesMax) ?? withMembersEmptied(envelope, bytesMax);
}

function withTextsCut(envelope: Envelope, bytesMax: number): Envelope | null {
  const lengths = textsOf(envelope.event)
    .map(({ text }) => text.length)
    .sort((a, b) => b - a);
  let low = lengths[cutsMax] ?? 0; // with this length or more at most `cutsMax` texts are cut
  let high = lengths[0] ?? 0;
  let best = cutTo(envelope, low);
  if (bytesOf(best) > bytesMax) return null;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const candidate = cutTo(envelope, middle);
    if (bytesOf(candidate) <= bytesMax) {
      best = candidate;
      low = middle;
    } else {
      high = middle;
    }
  }
  return best;
}

function cutTo(envelope: Envelope, length: number): Envelope {
  const copy = structuredClone(envelope);
  const truncated: string[] = [];
  for (const { pointer, parent, member, text } of textsOf(copy.event)) {
    if (text.length <= length) continue;
    (parent as Record<string | number, Json>)[member] = start(text, length);
    truncated.push(pointer);
  }
  copy.meta.truncated = truncated;
  return copy;
}

/** The first UTF-16 units of a text, without half a character at the end. */
function start(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

function withMembersEmptied(envelope: Envelope, bytesMax: number): Envelope {
  const copy = structuredClone(envelope);
  const members = Object.keys(copy.event)
    .sort()
    .map((member) => ({ member, bytes: jsonBytes(copy.event[member]) }))
    .sort((a, b) => b.bytes - a.bytes);
  const truncated: string[] = [];
  for (const { member } of members) {
    copy.event[member] = empty(copy.event[member] ?? null);
    truncated.push(`/event/${pointerPart(member)}`);
    copy.meta.truncated = truncated;
    if (bytesOf(copy) <= bytesMax) break;
  }
  return copy;
}

function empty(value: Json): Json {
  if (Array.isArray(value)) return [];
  if (typeof value === 'object' && value !== null) return {};
  return typeof value === 'string' ? '' : value;
}

function textsOf(value: JsonObject | Json[], at = '/event', found: Text[] = []): Text[] {
  for (const member of Array.isArray(value) ? value.keys() : Object.keys(value).sort()) {
    const inner = (value as Record<string | number, Json>)[member] as Json;
    const pointer = `${at}/${pointerPart(String(member))}`;
    if (typeof inner === 'string') found.push({ pointer, parent: value, member, text: inner });
    else if (typeof inner === 'object' && inner !== null) textsOf(inner, pointer, found);
  }
  return found;
}

function pointerPart(member: string): string {
  return member.replaceAll('~', '~0').replaceAll('/', '~1');
}

function bytesOf(envelope: Envelope): number {
  return Buffer.byteLength(canonicalJson(envelope));
}
