/** One column of the playground: a model, the agent's own where it is empty, and the session once there is one. */
export interface Column {
  model: string;
  sessionId: string | null;
}

export const columnsMax = 4;

type Filters = Readonly<Record<string, string | undefined>>;

/** The columns that an address names: `models=a,,b&sessions=ses_1,,`. There is at least one. */
export function columnsOf({ models, sessions }: Filters): Column[] {
  const named = (models ?? '').split(',');
  const begun = (sessions ?? '').split(',');
  const count = Math.min(columnsMax, Math.max(named.length, begun.length, 1));
  return Array.from({ length: count }, (_, index) => ({
    model: named[index] ?? '',
    sessionId: begun[index] ? begun[index] : null,
  }));
}

/** The columns for an address. */
export function filtersOf(columns: readonly Column[]): { models: string; sessions: string } {
  return {
    models: joined(columns.map(({ model }) => model)),
    sessions: joined(columns.map(({ sessionId }) => sessionId ?? '')),
  };
}

export interface OutputSchema {
  /** Null when none is asked for. */
  schema: Record<string, unknown> | null;
  fault: string | null;
}

/** JSON Schema of the output that is asked for. A text that is no object is a fault. */
export function outputSchemaOf(text: string): OutputSchema {
  if (text.trim() === '') return { schema: null, fault: null };
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { schema: value as Record<string, unknown>, fault: null };
    return { schema: null, fault: 'A schema is a JSON object.' };
  } catch (error) {
    if (error instanceof SyntaxError) return { schema: null, fault: `No JSON yet: ${error.message}` };
    throw error;
  }
}

/** Values as one filter of the address: one stands as it is, several are joined by commas. */
function joined(values: readonly string[]): string {
  return values.length === 1 ? (values[0] ?? '') : values.join(',');
}
