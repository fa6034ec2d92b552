/** One record on a topic. */
export interface LogRecord {
  key: string;
  value: Uint8Array;
  headers: Record<string, string>;
}

export interface ConsumedRecord extends LogRecord {
  topic: string;
  partition: number;
  /** Decimal text, increasing in its partition. */
  offset: string;
}

export interface TopicSpec {
  topic: string;
  partitions: number;
  retentionMs: number;
}

export interface ConsumeOptions {
  topics: readonly string[];
  /**
   * Consumers of one group share the partitions; a group resumes after its last commit. A group of one's own sees
   * everything.
   */
  group: string;
  /** Where a group without a commit begins. */
  from: 'earliest' | 'latest';
  /** Whether handled records are committed, so that the group resumes there. */
  commit: boolean;
  /** How long records may gather before they are given, milliseconds: fewer fetches, each with more. */
  gatherMs?: number;
  /** Called after each answered fetch, also an empty one: a sign of life for a change notifier. */
  onFetch?: () => void;
  onTrouble?: (error: unknown) => void;
}

export interface LogConsumer {
  /** Resolves when the consumer holds its partitions and reads. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** The record is refused for good (too large): never repeated by the adapter. */
export class RecordRefused extends Error {}

/**
 * The way to the outside: ordered topics.
 *
 * Promises: records of one key keep their order; a resolved `publish` is stored by every replica in sync; delivery is
 * at least once; a group resumes after its last commit; what a handler threw is given again. `publish` rejects when the
 * log is down (`StoreUnavailable`) and the next call starts on a fresh producer.
 * Does not promise: order across keys; exactly once.
 */
export abstract class EventLog {
  abstract ensureTopics(topics: readonly TopicSpec[]): Promise<void>;
  /** At most 500 records and 4 MiB a call. `partition` is chosen by key unless the record names one. */
  abstract publish(topic: string, records: readonly (LogRecord & { partition?: number })[]): Promise<void>;
  abstract consume(options: ConsumeOptions, handler: (records: ConsumedRecord[]) => Promise<void>): LogConsumer;
  /** The last record of each partition that has one. */
  abstract tails(topic: string): Promise<ConsumedRecord[]>;
  abstract close(): Promise<void>;
}
