/** What the model's window holds of the contexts that callers name. */
export interface ContextState {
  /** Context name -> digest of the value that the model's window holds. */
  readonly context: ReadonlyMap<string, { readonly digest: string; readonly sequence: number }>;
}

export const initialContext: ContextState = { context: new Map() };

export function contextRecorded(
  { context }: ContextState,
  { name, digest, row }: { name: string; digest: string; row: { sequence: number } },
): ContextState {
  return { context: new Map(context).set(name, { digest, sequence: row.sequence }) };
}

/** Values whose rows a summary covers are out of the window. */
export function contextCovered({ context }: ContextState, through: number): ContextState {
  const kept = [...context].filter(([, { sequence }]) => sequence > through);
  return kept.length === context.size ? { context } : { context: new Map(kept) };
}
