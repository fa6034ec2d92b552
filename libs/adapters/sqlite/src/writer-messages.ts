// What the log's writer thread and its owner say to each other. Flat and of texts and numbers only: cheap to copy
// between threads.

export interface WriterSettings {
  file: string;
  /** Most pages of 4 KiB that the file may have; absent: what the disk holds. */
  pagesMax?: number | undefined;
}

/**
 * Appends in order: `counts[i]` events for `streams[i]` at `expected[i]` (-1: none); four cells an event: id, type,
 * data, meta.
 */
export interface AppendMessage {
  kind: 'append';
  streams: string[];
  expected: number[];
  counts: number[];
  cells: string[];
}

export interface TruncateMessage {
  kind: 'truncate';
  stream: string;
  before: number;
}

export type ToWriter = AppendMessage | TruncateMessage | { kind: 'close' };

/**
 * Outcomes come in the order in which appends and truncations were sent, as numbers: `0, revision, last position`
 * written; `1, revision, last position` an earlier identical append; `2, actual revision or -1` conflict; `3`
 * truncated.
 */
export type FromWriter =
  | { kind: 'opened'; end: number }
  | { kind: 'done'; outcomes: number[] }
  /** The next `count` of what was sent failed together; nothing of it was written. */
  | { kind: 'unavailable'; count: number; message: string }
  /** The disk can no longer be trusted: the process must end. */
  | { kind: 'fatal'; message: string }
  | { kind: 'closed' };
