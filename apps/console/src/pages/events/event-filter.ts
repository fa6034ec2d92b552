import type { Query, SourceEvent } from '@aos/client';

type Filters = Record<string, string>;

/** What of the feed is asked for; the same for the list and the stream. */
export type EventFilter = Pick<Query<'streamSourceEvents'>, 'event_type' | 'source_kind' | 'source_id'>;

/** What the address asks for. A type says more than its family. */
export function eventFilter({ type, family, kind, source }: Filters): EventFilter {
  const wanted = type || (family ? `${family}.*` : '');
  return {
    ...(wanted && { event_type: [wanted] }),
    ...(kind && { source_kind: kind }),
    ...(source && { source_id: source }),
  };
}

/** Where one event is found again: the feed is asked by its source, from the moment it was recorded. */
export function whereToFind({ source_kind, source_id, meta }: SourceEvent): Record<string, string> {
  return { kind: source_kind, source: source_id, since: meta.received_at };
}
