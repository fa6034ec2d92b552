/** Folded states by stream and reducer. May be lost at any time; a wrong key never gives a value. */
export abstract class Snapshots {
  abstract get(key: string): Promise<{ revision: number; state: string } | null>;
  /** Keeps the highest revision. */
  abstract put(key: string, revision: number, state: string): Promise<void>;
  abstract close(): Promise<void>;
}
