import type { Json, JsonObject, NewEvent } from '@aos/kernel';

/** What the next build may write beside what this one knows. */
const unknown: JsonObject = { of_the_next_build: { list: [1, 'two', null], at: '2030-01-01T00:00:00.000Z' } };
/** Members whose content belongs to callers, tools and models: no build adds to it. Usage is a sum. */
const opaque = new Set(['metadata', 'arguments', 'output', 'context', 'usage']);

/** The events as the next build writes them: with members that this one does not know. */
export function asNextBuild(events: readonly NewEvent[]): NewEvent[] {
  return events.map((event) => ({
    ...event,
    data: { ...unknown, ...recordsOf(event.data) },
    meta: { ...event.meta, of_the_next_build: 'also here' },
  }));
}

/** The messages of the next build to a channel: a frame of a kind that this one does not know, and the message. */
export function framesOfNextBuild(message: Json): Json[] {
  const frame = { kind: 'frame_of_the_next_build', type: 'frame_of_the_next_build', ...unknown };
  return [frame, isObject(message) ? { ...unknown, ...message } : message];
}

/** The records that an event carries, such as a turn or a row, have unknown members too. */
function recordsOf(data: JsonObject): JsonObject {
  const entries = Object.entries(data).map(([name, value]) => [
    name,
    isObject(value) && !opaque.has(name) ? { ...unknown, ...value } : value,
  ]);
  return Object.fromEntries(entries) as JsonObject;
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
