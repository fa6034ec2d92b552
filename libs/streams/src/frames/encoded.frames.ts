import type { JsonObject } from '@aos/kernel';

/** What every frame of a session says about it. */
export interface SessionNames {
  orgId: string;
  sessionId: string;
  agentId: string;
}

/** One frame before it is encoded: the SSE event name and its payload, which repeats the name (rule F2). */
export interface Frame {
  name: string;
  payload: JsonObject;
}

/** A frame as bytes on the wire: made once per session and process, shared by every viewer. */
export interface EncodedFrame {
  name: string;
  bytes: Buffer;
}

const lineBreaks = /[\r\n\0]/;

/**
 * Writes a frame as one SSE event: `id:` only where one is given, `event:`, one `data:` line, a blank line, LF (rule
 * F1).
 *
 * Refuses  an id or a name with a line break or NUL: a fault of ours (control S22). JSON text holds none.
 */
export function encodeFrame({ name, payload }: Frame, id?: string): EncodedFrame {
  if (lineBreaks.test(name) || (id !== undefined && lineBreaks.test(id))) throw new Error('line break in an SSE field');
  const head = id === undefined ? '' : `id: ${id}\n`;
  return { name, bytes: Buffer.from(`${head}event: ${name}\ndata: ${JSON.stringify(payload)}\n\n`) };
}

/** A payload with its name inside. */
export function frame(name: string, payload: JsonObject): Frame {
  return { name, payload: { event_type: name, ...payload } };
}
