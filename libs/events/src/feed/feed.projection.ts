import { collection, type Condition, type Position, type Reach, type ReadRow } from '@aos/kernel';
import type { SourceEvent } from '../publishing/envelope.wire.js';
import type { Envelope } from '../publishing/size.limits.js';

/**
 * Name of the projection and of its rows, then the versions before: those go when this one is whole, because processes
 * of before may still read them until then. A change of the rows' form, or of what publishers tell, is a new version in
 * front.
 */
export const [feedCollection, ...retiredFeeds] = [
  'source_events@5',
  'source_events@4',
  'source_events@3',
  'source_events@2',
  'source_events@1',
] as const;
/** One row for each organization: the place up to which the feed was cut. */
export const cutCollection = 'source_events_cut@1';
/** One row for all: whether the feed is whole or being built. */
export const buildCollection = `source_events_build@${feedCollection.slice(feedCollection.indexOf('@') + 1)}`;
/** Organizations that have had an event. */
export const organizationsCollection = 'source_events_orgs@1';
/** Types of integrations that an organization has had events of. */
export const typesCollection = 'source_event_types@1';
/** Scope of rows that belong to no organization. */
export const everywhere = ['-'];
export const onlyRow = 'only';

/** The place before the first event. */
export const feedStart: Position = '';

/** A row of the feed. */
export type FeedRow = {
  position: Position;
  /** The greatest place below this one for the organization; `feedStart` for its first event. */
  previous: Position;
  received_at: string;
  reach: Reach;
  envelope: Envelope;
};

export const feedRows = collection<FeedRow>(feedCollection);

/** The row of one source event, with the place before it. */
export function feedRow(event: SourceEvent, previous: Position): ReadRow {
  const { orgId, position, receivedAt, reach, envelope } = event;
  return feedRows.row({
    scope: [orgId],
    key: position,
    revision: 1,
    doc: { position, previous, received_at: receivedAt, reach, envelope },
    index: { position, at: receivedAt, find: findable(envelope) },
  });
}

/** By what a row can be found, in one index: each more of them is some commands of the store for every event. */
function findable({ event_type, source_kind, source_id }: Envelope): string[] {
  return [`type:${event_type}`, `kind:${source_kind}`, `source:${source_id}`];
}

/** Conditions on rows: the type itself, or what types begin with (`session.*`); the kind; the id of the source. */
export const found = {
  byType: (type: string): Condition =>
    type.endsWith('.*')
      ? { index: 'find', startsWith: `type:${type.slice(0, -1)}` }
      : { index: 'find', has: `type:${type}` },
  byKind: (kind: string): Condition => ({ index: 'find', has: `kind:${kind}` }),
  bySource: (id: string): Condition => ({ index: 'find', has: `source:${id}` }),
};

/** A row that left the feed. */
export function goneRow(orgId: string, position: Position): ReadRow {
  return feedRows.row({ scope: [orgId], key: position, revision: 2, doc: null, index: {} });
}

/** Where the feed of an organization now begins. `order` rises with every cut. */
export function cutRow(orgId: string, position: Position, order: number): ReadRow {
  return { collection: cutCollection, scope: [orgId], key: onlyRow, revision: order, doc: { position }, index: {} };
}

/** An organization that has a feed. */
export function organizationRow(orgId: string): ReadRow {
  return { collection: organizationsCollection, scope: everywhere, key: orgId, revision: 1, doc: {}, index: {} };
}

/** A provider's event type that an organization has had: part of its live catalog. Our own types are known without. */
export function typeRow({ orgId, envelope }: SourceEvent): ReadRow[] {
  if (envelope.source_kind !== 'integration') return [];
  return [{ collection: typesCollection, scope: [orgId], key: envelope.event_type, revision: 1, doc: {}, index: {} }];
}
