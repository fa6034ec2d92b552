/** What the thread that compiles schemas is asked; `value` is JSON text, absent when only the schema is in question. */
export interface SchemaQuestion {
  id: number;
  /** SHA-256 of the schema's canonical text. */
  hash: string;
  /** JSON text of the schema. */
  schema: string;
  value?: string;
}

export interface SchemaFault {
  /** JSON pointer into the value, or into the schema when that is what does not stand. */
  path: string;
  message: string;
}

export type SchemaOutcome =
  | { outcome: 'fits' }
  | { outcome: 'bad_schema'; message: string }
  | { outcome: 'faulty'; fault: SchemaFault }
  /** The check gave neither true nor false: further answers of this thread are not trusted. */
  | { outcome: 'broken'; message: string };

/** `spentMs`: processor time of the thread. `isFull`: it keeps so much that it wants to be replaced. */
export type SchemaAnswer = SchemaOutcome & { id: number; spentMs: number; isFull?: boolean };
