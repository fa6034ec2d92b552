import type { JsonObject } from '@aos/kernel';
import { eventInputBytesMax } from '../routine/routine.limits.js';

type PublishedEvent = {
  event_type: string;
  source_kind: string;
  source_id: string;
  event: JsonObject;
  meta: JsonObject;
};

/** The event as its turn reads it: the public envelope as JSON; of one that is too large, all but the payload. */
export function eventInput({ event_type, source_kind, source_id, event, meta }: PublishedEvent): string {
  const whole = JSON.stringify({ event_type, source_kind, source_id, event, meta });
  if (Buffer.byteLength(whole) <= eventInputBytesMax) return whole;
  return JSON.stringify({ event_type, source_kind, source_id, event: {}, meta: { ...meta, truncated: ['/event'] } });
}
