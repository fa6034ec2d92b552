import type { RecordedEvent } from '../ports/event-store.js';

/** Recorded events as plain objects, to compare: stores may decode members only when they are asked for. */
export function plain(events: readonly RecordedEvent[]): RecordedEvent[] {
  return events.map(({ stream, revision, position, id, type, data, meta }) => ({
    stream,
    revision,
    position,
    id,
    type,
    data,
    meta,
  }));
}
