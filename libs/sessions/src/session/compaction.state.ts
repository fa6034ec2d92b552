import type { CompactionPass, Row } from './session.events.js';

/** The pass that sums the transcript up, and what the model's window begins with since. */
export interface CompactionState {
  readonly pass: CompactionPass | null;
  /** The last pass that failed, until one succeeds. */
  readonly passFailure: { readonly error_type: string; readonly at: string } | null;
  readonly summary: {
    readonly message_id: string;
    readonly sequence: number;
    readonly covers_through_sequence: number;
  } | null;
  /** First sequence that the model's window needs: behind the summary, or a row that it left as it is. */
  readonly windowFrom: number;
}

export const initialCompaction: CompactionState = { pass: null, passFailure: null, summary: null, windowFrom: 1 };

/** A pass before it that never ended ran out of its time: a pass begins only when none runs. */
export function passStarted(state: CompactionState, pass: CompactionPass): Partial<CompactionState> {
  const passFailure = state.pass ? { error_type: 'timeout', at: state.pass.deadline } : state.passFailure;
  return { pass, passFailure };
}

export function passFailed({ error_type, at }: { error_type: string; at: string }): Partial<CompactionState> {
  return { pass: null, passFailure: { error_type, at } };
}

/** A pass ends with the claim of the turn that set it off: a runner with an earlier claim commits no summary. */
export function passAbandoned({ pass }: CompactionState, turnId: string): Partial<CompactionState> {
  return pass?.turn_id === turnId ? { pass: null } : {};
}

export function summarised(pass: CompactionPass, row: Row): CompactionState {
  const through = row.covers_through_sequence ?? 0;
  return {
    pass: null,
    passFailure: null,
    summary: { message_id: row.id, sequence: row.sequence, covers_through_sequence: through },
    windowFrom: Math.min(through + 1, ...(pass.keeps ?? [])),
  };
}
