import type { JsonObject } from '@aos/kernel';
import { foundMetadataMax, foundMetadataCharactersMax } from './session.limits.js';

/**
 * What a session's metadata is found by: `<key>:<value>` of each member on its first level that is a text, a number or
 * a boolean (rule S49).
 *
 * Gives    at most 64 entries, in the order of the members, none over 512 characters.
 */
export function metadataEntries(metadata: JsonObject | null): string[] {
  const entries: string[] = [];
  for (const [key, value] of Object.entries(metadata ?? {})) {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
    const entry = `${key}:${value}`;
    if (entry.length <= foundMetadataCharactersMax) entries.push(entry);
    if (entries.length === foundMetadataMax) break;
  }
  return entries;
}

/** Whether one of the texts has the part in it, in any case. */
export function hasPart(texts: readonly (string | null)[], part: string): boolean {
  const sought = inOneCase(part);
  return texts.some((text) => text !== null && inOneCase(text).includes(sought));
}

/** Lower case first: capitals have one form for letters that have two small ones (the Greek sigma). */
function inOneCase(text: string): string {
  return text.normalize('NFC').toLowerCase().toUpperCase();
}
