import { appended, nothing, type PersistentList } from '@aos/kernel';
import type { Row, SessionEvent, Usage } from './session.events.js';
import { rowsPerMark } from './session.limits.js';
import type { SettingsState } from './settings.state.js';
import { addedTotals, type UsageTotals } from './usage.state.js';

/** Where rows lie, and what is counted over all of them. */
export interface TranscriptState {
  readonly lastMessageAt: string | null;
  /** Highest sequence. */
  readonly sequence: number;
  readonly messageCount: number;
  /** Sparse index: [sequence, revision] of every rowsPerMark-th row. */
  readonly marks: PersistentList<readonly [number, number]>;
  readonly totals: UsageTotals;
  readonly model: string | null;
  readonly modelProvider: string | null;
}

export const initialTranscript: TranscriptState = {
  lastMessageAt: null,
  sequence: 0,
  messageCount: 0,
  marks: nothing,
  totals: { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  model: null,
  modelProvider: null,
};

/** A row behind the last one. */
export function rowAdded(
  state: TranscriptState & Pick<SettingsState, 'opening' | 'updatedAt'>,
  row: Row,
  revision: number,
): Partial<TranscriptState & SettingsState> {
  const marks =
    state.sequence % rowsPerMark === 0 ? appended(state.marks, [row.sequence, revision] as const) : state.marks;
  const added = { marks, sequence: row.sequence, updatedAt: later(state.updatedAt, row.created_at) };
  if (row.hidden !== undefined) return added;
  return {
    ...added,
    messageCount: state.messageCount + 1,
    lastMessageAt: later(state.lastMessageAt ?? state.opening?.created_at ?? '', row.created_at),
  };
}

/** Tokens of a model call. */
export function usageAdded(state: TranscriptState, usage: Usage): Pick<TranscriptState, 'totals'> {
  return { totals: addedTotals(state.totals, usage) };
}

/** Counters from elsewhere; a model that is not named stays the one before. */
export function countersAdded(
  state: TranscriptState,
  { usage, model, model_provider: provider }: Extract<SessionEvent, { type: 'CountersAdded' }>['data'],
): Partial<TranscriptState> {
  return { ...usageAdded(state, usage), ...(model ? { model } : {}), ...(provider ? { modelProvider: provider } : {}) };
}

/** An imported row may be older than the session: its times never go back (rules S42, S46). */
function later(one: string, other: string): string {
  return one > other ? one : other;
}
