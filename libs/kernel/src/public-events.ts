import type { EventDeclarations } from './events.js';
import type { JsonObject } from './json.js';
import type { EventMeta } from './ports/event-store.js';

/**
 * Readers of an event (rule E7): the people named, and every principal for whom the other members hold. Absent members
 * restrict nothing.
 */
export interface Reach {
  /** The agent that it is about must be within the reader's reach; null or absent: none. */
  agent_id?: string | null;
  /** The table that it is about must be within the reader's reach. */
  table_id?: string;
  /** The session that it is about must still be there (rule E19). */
  session_id?: string;
  /**
   * Absent means `organization`. `private` is for the owner, the people named and administrators: of a private agent or
   * table these must be within reach too (rule A30).
   */
  visibility?: 'organization' | 'private';
  owner_id?: string | null;
  /** The session in which an agent asked: its readers read the event even when the members above do not hold. */
  asking_session_id?: string;
  /** The only principal that sees it, if the rest holds too: a person's own memory. */
  only?: string;
  /** People who read the event even when the other members do not hold. */
  principal_ids?: string[];
}

/** One event as it is published; the envelope around it is the same for all (rules E2, E3). */
export interface PublicEvent {
  event_type: string;
  source_kind: string;
  source_id: string;
  /**
   * The payload of rules E9, E10, E11, E12, E13, E14, written out member by member: nothing of the stored event leaves
   * unnamed.
   */
  event: JsonObject;
  /** What is copied under `meta` for routing. */
  routing: JsonObject;
  /** When it happened, if that is not when it was recorded. */
  occurred_at?: string;
  /** Recorded event that names it, if not the one that set it off (a row of a batch). */
  event_id?: string;
  reach: Reach;
}

/** A recorded event, lifted to the current version, large values put back. */
export interface OpenedEvent {
  stream: string;
  revision: number;
  id: string;
  type: string;
  data: unknown;
  meta: EventMeta;
}

/** One event of a stream that a publisher must read besides. */
export interface EventReference {
  stream: string;
  revision: number;
}

/** Event types of our own whose names begin with one word, as the catalog of events shows them (rule EV1). */
export interface EventFamily {
  /** First word of the names. No provider may use it. */
  prefix: string;
  displayName: string;
  description: string;
  types: readonly EventFamilyType[];
}

export interface EventFamilyType {
  name: string;
  description: string;
  sourceKind: string;
  /** Name of the payload's schema in the contract. */
  schema: string;
  /**
   * Routing fields under `meta`, which are copied from the payload unless the contract types them under another name.
   */
  routing: readonly string[];
}

/**
 * What one kind of stream tells the outside. Pure, so that the same log always gives the same bytes.
 *
 * `publish` is only called for the types in `publishes`: an allow-list. A type that `events` does not declare stops
 * the mapping with an error.
 */
export interface Publisher {
  /** Stream-name prefix, such as `session-`. */
  readonly prefix: string;
  readonly events: EventDeclarations;
  readonly publishes: ReadonlySet<string>;
  /** Family of what it publishes, which publishers may share. Absent where others name the events (rule E17). */
  readonly family?: EventFamily;
  /** Whether inline bytes of media leave the event before it is opened: they are never fetched, never published. */
  readonly withoutInlineBytes?: boolean;
  /** Events to be read first; they must be unchanging facts of the log. */
  needs?(event: OpenedEvent): readonly EventReference[];
  publish(event: OpenedEvent, needed: readonly OpenedEvent[]): readonly PublicEvent[];
}
