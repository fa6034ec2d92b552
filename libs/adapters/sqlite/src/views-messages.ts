// What the views' writer thread and its owner say to each other.

export type Parameter = string | number | null | Uint8Array;

/** One statement and its parameters. */
export type Step = [sql: string, parameters: Parameter[]];

/** Steps that are written together. A guarded job whose first step changes nothing ends there. */
export interface Job {
  steps: Step[];
  guarded: boolean;
}

export type ToViews = { kind: 'run'; jobs: Job[] } | { kind: 'close' };

/** Answers come in the order of the jobs: how many rows each job's first step changed. */
export type FromViews =
  | { kind: 'opened' }
  | { kind: 'done'; changed: number[] }
  /** The next `count` jobs failed together; nothing of them was written. */
  | { kind: 'unavailable'; count: number; message: string }
  | { kind: 'closed' };
