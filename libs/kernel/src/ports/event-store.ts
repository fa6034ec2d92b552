import type { JsonObject } from '../json.js';
import { messageOf } from '../message-of.js';
import type { Demand } from './demand.js';

/** An exact revision (0-based number of the last event), or `none`: the stream must not exist. There is no "any". */
export type ExpectedRevision = number | 'none';

/** Place in the whole log. Text that compares (`<`) in log order; opaque otherwise. */
export type Position = string;

/** Flat text, so that every store and every wire can carry it. */
export type EventMeta = Record<string, string>;

export interface NewEvent {
  /** UUID; unique in its stream. */
  id: string;
  type: string;
  data: JsonObject;
  /** Events of one append may share it. */
  meta: EventMeta;
}

/**
 * Members may be decoded when they are asked for: take them by name, a spread copy may lack some. Shared by all
 * readers, who must not change them.
 */
export interface RecordedEvent extends NewEvent {
  stream: string;
  revision: number;
  position: Position;
}

export interface Appended {
  /** Revision of the last event of the append. */
  revision: number;
  /** Position of the last event of the append. Who wants that of another one reads the event. */
  position: Position;
}

export interface ReadOptions {
  /** First revision to give; absent: the start, or with `backwards` the end. */
  from?: number;
  backwards?: boolean;
  /** 1..4096. */
  limit: number;
}

/**
 * After events were given, a fleet's store may let the next gather until so many milliseconds after those came. The
 * first after a pause are given at once, and so is what lies behind a full batch.
 */
export interface Gather {
  ms: number;
  /** Behind a batch of 32 events or more, where a load shows; absent: as `ms`. */
  busyMs?: number;
}

export interface SubscribeOptions {
  /** For logs and metrics. */
  name: string;
  /** Stream-name prefixes, such as `session-`; at least one. */
  prefixes: readonly string[];
  /** After this position; `start`, or `end` for what comes from now on. */
  from: Position | 'start' | 'end';
  /** Most events of one call of the handler; default 512. */
  batchMax?: number;
  /**
   * Of what the handler makes. While it is absent a store may let events gather for some ten milliseconds; without one
   * it never does.
   */
  demand?: Demand;
  /** How long a fleet's store may let events gather; absent: none are held back. */
  gather?: Gather;
  /** Called once each time the subscription has given everything there was. */
  onCaughtUp?: () => void;
  /**
   * Called when the handler threw, or the store broke off; the subscription goes on by itself unless the handler's
   * error is `Stop`.
   */
  onTrouble?: (error: unknown) => void;
  /**
   * Called with the last position looked at, also where no event matched, at most once a second: a checkpoint may move
   * there.
   */
  onPosition?: (position: Position) => void;
}

export interface EventSubscription {
  /** Stops; resolves when the handler that was running has ended. */
  close(): Promise<void>;
  /** Rejects with the handler's error if that was a `Stop`, else resolves at `close`. */
  readonly ended: Promise<void>;
}

/** Thrown by a handler to end its own subscription for good. */
export class Stop extends Error {}

/** Ends a subscription for good at one event. It names the event without what it says, which may hold secrets. */
export class StoppedAt extends Stop {
  readonly position: Position;

  constructor({ stream, revision, position, type, id }: Omit<RecordedEvent, 'data' | 'meta'>, cause: unknown) {
    super(`${type} ${id} at ${stream}@${revision}, position ${position}: ${messageOf(cause)}`, { cause });
    this.position = position;
  }
}

/** The stream is not at the expected revision. Nothing was written. */
export class RevisionConflict extends Error {
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    readonly actual: number | 'none',
  ) {
    super(`${stream} is at ${actual}, expected ${expected}`);
    this.name = 'RevisionConflict';
  }
}

/** The store cannot answer now. For an append the outcome is unknown: repeat it identically or give up. */
export class StoreUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreUnavailable';
  }
}

/**
 * An engine answers and does not let this process in: account, password or rights are wrong, and waiting changes
 * nothing. Never holds a secret.
 */
export class StoreRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreRefused';
  }
}

/**
 * The log: the only truth.
 *
 * Promises
 * - An append is whole or not at all, durable before it resolves, and touches one stream.
 * - At a wrong revision nothing is written and `RevisionConflict` is thrown. The same ids at the same expected revision
 *   are one append at any age: the repeat resolves with the first one's revision and position. Of ids that agree only
 *   in part nothing is written (conflict).
 * - The adapter itself repeats an append whose outcome it does not know, identically, for up to 5 s; then
 *   `StoreUnavailable`.
 * - A subscription gives events in log order, without a gap, replays then stays live, and resumes by itself after any
 *   fault until closed; the handler of a batch ends before the next begins. What the handler threw is given again.
 * - Events of one append have increasing positions; positions are never reused.
 *
 * Does not promise: atomic writes to two streams; dense positions; that a subscription gives an event only once across
 * a restart.
 * Limits: 1 MiB an append, 256 KiB an event (`EventTooLarge`); stream names are lower case `category-id`, at most 200
 * characters.
 */
export abstract class EventStore {
  abstract append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended>;
  /** Up to `limit` events in the asked order; an empty list past the end or for a stream that does not exist. */
  abstract read(stream: string, options: ReadOptions): Promise<RecordedEvent[]>;
  /** Last revisions, in the order asked; `none` for streams without events. At most 1000 streams a call. */
  abstract heads(streams: readonly string[]): Promise<(number | 'none')[]>;
  abstract subscribe(options: SubscribeOptions, handler: (events: RecordedEvent[]) => Promise<void>): EventSubscription;
  /** Position of the last event in the log; `start` of an empty one is the empty text. */
  abstract end(): Promise<Position>;
  /** Events below the revision may be forgotten; revisions go on as they were. */
  abstract truncate(stream: string, before: number): Promise<void>;
  /** Whether this process alone writes the log, so that what it folded cannot be stale. */
  abstract readonly soleWriter: boolean;
  abstract close(): Promise<void>;
}

/** An event over 256 KiB or an append over 1 MiB: a fault of ours, blobs carry what is large. */
export class EventTooLarge extends Error {
  constructor(stream: string, bytes: number) {
    super(`${bytes} bytes for ${stream}`);
    this.name = 'EventTooLarge';
  }
}

export const eventBytesMax = 256 * 1024;
export const appendBytesMax = 1024 * 1024;
