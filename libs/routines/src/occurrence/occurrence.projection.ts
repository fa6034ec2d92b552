import { collectionOf, dueRow, type JsonObject } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { OccurrenceEvent } from './occurrence.events.js';
import { occurrenceKind, type OccurrenceState } from './occurrence.state.js';

export const startHandler = 'occurrence_start';
/** Who recorded a run starts it; after so long a timer does. Ours. */
const startAfterMs = 2000;

/** Runs for lists; the record itself is read fresh. */
export const occurrencesProjection: StreamProjection<OccurrenceState, OccurrenceEvent> = {
  name: 'occurrences',
  version: 1,
  kind: occurrenceKind,
  rows({ state: { occurrence, status }, revision }) {
    if (!occurrence) return [];
    const { id, org_id, routine_id, owner_id, scheduled_at, trigger } = occurrence;
    const doc: JsonObject = { routine_id, scheduled_at };
    const index: Record<string, string> = {
      created: `${scheduled_at} ${id}`,
      routine: routine_id,
      owner: owner_id ?? '',
      status,
      at: scheduled_at,
    };
    if (status === 'pending' || status === 'admitted') index.open = routine_id;
    if (status !== 'skipped' && status !== 'missed') index.fired = routine_id;
    if (trigger === 'event' && status !== 'skipped') index.matched = routine_id;
    return [{ collection: collectionOf(occurrencesProjection), scope: [org_id], key: id, revision, doc, index }];
  },
};

/** Runs that are not started yet. */
export const startsProjection: StreamProjection<OccurrenceState, OccurrenceEvent> = {
  name: 'occurrence_timers',
  version: 1,
  kind: occurrenceKind,
  rows({ state: { occurrence, status }, id, revision }) {
    if (!occurrence) return [];
    const at = status === 'pending' ? Date.parse(occurrence.intake_at) + startAfterMs : null;
    return [
      dueRow({
        stream: `occurrence-${id}`,
        revision,
        name: 'start',
        at,
        handler: startHandler,
        details: { org_id: occurrence.org_id, occurrence_id: occurrence.id },
      }),
    ];
  },
};
