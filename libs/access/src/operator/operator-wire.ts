import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Json, JsonObject } from '@aos/kernel';

/** One request, as one line of JSON; its answer is one line too. */
export interface OperatorAsk {
  words: string[];
  options: Record<string, string>;
}

export type OperatorAnswer =
  { ok: true; result: Json } | { ok: false; code: string; message: string; details: JsonObject };

export const askBytesMax = 64 * 1024;
/** Longest path that every system takes for a local socket. */
const socketPathBytesMax = 100;

/**
 * Path of the operator's socket: in the data directory, or, when that path is too long for a socket, under a name
 * derived from it.
 */
export function operatorSocketPath(dataDir: string): string {
  const own = join(resolve(dataDir), 'operator.sock');
  if (Buffer.byteLength(own) <= socketPathBytesMax) return own;
  return join(tmpdir(), `svc-${createHash('sha256').update(own).digest('hex').slice(0, 24)}.sock`);
}

/** Reads a request; null for text that is none. */
export function parseAsk(line: string): OperatorAsk | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null) return null;
  const { words, options } = parsed as { words?: unknown; options?: unknown };
  const isTextList = Array.isArray(words) && words.every((word) => typeof word === 'string');
  const isTextMap =
    typeof options === 'object' &&
    options !== null &&
    Object.values(options).every((value) => typeof value === 'string');
  return isTextList && isTextMap ? { words: words as string[], options: options as Record<string, string> } : null;
}
