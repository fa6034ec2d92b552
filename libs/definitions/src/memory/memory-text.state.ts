import { firstCharacters } from '@aos/kernel';
import type { MemoryEntry } from './memory.events.js';
import { memorySummaryMax } from './memory.limits.js';

/**
 * Memory as text for a model.
 *
 * Takes    entries, most important first; `index`: a line for each, `full`: their contents; the most bytes.
 * Gives    whole entries as far as they fit, and a line that says how many did not.
 * Source   rules R12, R44.
 */
export function memoryText(entries: readonly MemoryEntry[], mode: 'index' | 'full', bytesMax: number): string {
  const parts: string[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const part = mode === 'full' ? fullText(entry) : indexLine(entry);
    const size = Buffer.byteLength(part) + 1;
    if (bytes + size > bytesMax) break;
    parts.push(part);
    bytes += size;
  }
  if (parts.length === 0) return '';
  const left = entries.length - parts.length;
  return left === 0 ? parts.join('\n') : `${parts.join('\n')}\n(${left} more entries)`;
}

function indexLine({ key, user_id: userId, wire: { summary, content, kind, importance } }: MemoryEntry): string {
  const said = (summary ?? firstCharacters(content, memorySummaryMax)).replaceAll(/\s+/g, ' ');
  return `- ${key}${userId === '' ? '' : ' (this person)'} [${kind}, importance ${importance}]: ${said}`;
}

function fullText(entry: MemoryEntry): string {
  const {
    key,
    user_id: userId,
    wire: { content, kind, importance },
  } = entry;
  return `## ${key}${userId === '' ? '' : ' (this person)'} [${kind}, importance ${importance}]\n${content}`;
}
