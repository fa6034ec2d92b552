import type { EventMeta, JsonObject, NewEvent, RecordedEvent } from '@aos/kernel';
import { EventTooLarge, appendBytesMax, eventBytesMax, jsonBytes } from '@aos/kernel';
import { positionText } from './position.js';
import type { ReadEvent } from './read-messages.js';

/** An event that was read in the port's shape. Throws for one that the port cannot have written. */
export function readRecord({ id, type, isJson, data, meta, stream, revision, ...position }: ReadEvent): RecordedEvent {
  if (!isJson) throw new Error(`an event in ${stream} is not JSON`);
  return {
    id,
    type,
    data: JSON.parse(data.toString('utf8')) as JsonObject,
    meta: meta.length === 0 ? {} : (JSON.parse(meta.toString('utf8')) as EventMeta),
    stream,
    revision,
    position: positionText(position),
  };
}

/**
 * Throws `EventTooLarge`, or an error for what the server would take and then report wrongly. Counts as the server
 * does.
 */
export function checkSizes(stream: string, events: readonly NewEvent[]): void {
  let total = 0;
  for (const { type, data, meta } of events) {
    const content = jsonBytes(data) + jsonBytes(meta);
    if (content > eventBytesMax) throw new EventTooLarge(stream, content);
    total += content + 2 * type.length;
  }
  if (total > appendBytesMax) throw new EventTooLarge(stream, total);
  if (events.length === 0) throw new Error(`an append to ${stream} without events`);
  if (new Set(events.map(({ id }) => id)).size !== events.length)
    throw new Error(`an append to ${stream} holds one id twice`);
}
