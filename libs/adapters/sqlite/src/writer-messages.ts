// What the log's writer thread and its owner say to each other. Flat and of texts and numbers only: cheap to copy
// between threads.

/** 1: a row for each event. 2: a row for each append, found by an index that is filled behind it. */
export type LogFormat = 1 | 2;

export interface WriterSettings {
  file: string;
  /** Most pages of 4 KiB that the file may have; absent: what the disk holds. */
  pagesMax?: number | undefined;
  /** What is written to a log that has no tables of format 2. */
  newFormat: LogFormat;
}

/** Appends in order: `counts[i]` events for `streams[i]` at `expected[i]` (-1: none), in the text `bodies[i]`. */
export interface AppendMessage {
  kind: 'append';
  streams: string[];
  expected: number[];
  counts: number[];
  bodies: string[];
}

export interface TruncateMessage {
  kind: 'truncate';
  stream: string;
  before: number;
}

/** Moves some of the rows of format 1 over. */
export interface ConvertMessage {
  kind: 'convert';
}

export type ToWriter = AppendMessage | TruncateMessage | ConvertMessage | { kind: 'close' };

/**
 * Outcomes come in the order in which they were asked for, as numbers: `0, revision, last position` written; `1,
 * revision, last position` an earlier identical append; `2, actual revision or -1` conflict; `3` truncated; `4, events`
 * moved over.
 */
export type FromWriter =
  /** The log's last position, up to which its index goes; whether it has rows of format 1. */
  | { kind: 'opened'; end: number; format: LogFormat }
  /** `indexedTo`: what a read of a stream finds in the file up to there. */
  | { kind: 'done'; outcomes: number[]; indexedTo: number }
  /** The next `count` of what was sent failed together; nothing of it was written. */
  | { kind: 'unavailable'; count: number; message: string }
  /** The disk can no longer be trusted: the process must end. */
  | { kind: 'fatal'; message: string }
  | { kind: 'closed' };
