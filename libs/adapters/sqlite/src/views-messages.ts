// What the views' writer thread and its owner say to each other.

export type Parameter = string | number | null | Uint8Array;

/** One statement and its parameters; `put` and `entries` are steps of the thread itself. */
export type Step = [sql: string, parameters: Parameter[]];

/** Parameters of a put of one row, in this order. */
export type PutParameters = [
  collection: string,
  scope: string,
  key: string,
  revision: number,
  at: number,
  index: string,
  doc: string | null,
];

/** Steps that are written together. */
export interface Job {
  steps: Step[];
  /** False: no caller waits for the job, so its failure is a loss. */
  isAwaited: boolean;
  /**
   * How many losses were known when it was made: it is refused after another one, and ends when its first step changes
   * nothing. Null: it looks at neither.
   */
  losses: number | null;
  /** Entries of its rows may be made later, together with those of others: at the next `entries` at the latest. */
  isBuilding: boolean;
}

/**
 * Jobs as flat lists, cheap to copy between threads: each statement's text once; of a job its steps' count, 1 if it is
 * awaited, its losses or -1, and 1 if it builds, then of each step the place of its text and the count of its
 * parameters; the parameters one after the other.
 */
export interface RunPart {
  statements: string[];
  jobs: number[];
  parameters: Parameter[];
}

/** The jobs of the parts, one part after the other. */
export interface RunMessage {
  kind: 'run';
  parts: RunPart[];
}

export type ToViews = RunMessage | { kind: 'close' };

/**
 * Answers come in the order of the jobs: how many rows each job's first step changed; -1: it was refused after a loss.
 */
export type FromViews =
  | { kind: 'opened' }
  | { kind: 'done'; changed: number[] }
  /** The next `count` jobs failed together; nothing of them was written. */
  | { kind: 'unavailable'; count: number; message: string }
  | { kind: 'closed' };
