import type { SessionState } from '../session/session.state.js';

/** A row of the model's window, as far as the range of a pass depends on it. */
export interface SeenRow {
  sequence: number;
  turnId: string | null;
  /** Said by the model. */
  answers: boolean;
  /** A recorded context value: every pass records it again, so it is no reason for one. */
  context: boolean;
  /** Ids of the tool calls that it makes, and of those that its results answer. */
  calls: readonly string[];
  results: readonly string[];
  tokens: number;
}

export interface PassRange {
  from: number;
  through: number;
  /** Rows up to `through` that stay as they are, ascending. */
  keeps: number[];
  /** Rows that the summary stands for. */
  count: number;
}

/**
 * The rows that a pass covers: those after the last summary up to the last row of the newest final turn but one. Where
 * that does not bring the estimate under the threshold, all but the newest exchange. Input rows of open turns stay, and
 * so does a call whose result is not covered.
 *
 * Takes    the rows of the window that the session's state belongs to; `excessTokens`: by how much the estimate is over
 *          the threshold, null for a pass that no threshold set off.
 * Gives    null when there is nothing to sum up.
 * Source   rules S23, S48.
 */
export function passRange(
  session: SessionState,
  seen: readonly SeenRow[],
  excessTokens: number | null,
): PassRange | null {
  const finalTurns = session.finalRows.length < 2 ? 0 : (session.finalRows[0] ?? 0);
  const usual = rangeThrough(session, seen, finalTurns);
  if (excessTokens === null) return usual?.range ?? null;
  if (usual && usual.tokens > excessTokens) return usual.range;
  return rangeThrough(session, seen, exchangeStart(session, seen) - 1)?.range ?? usual?.range ?? null;
}

function rangeThrough(
  session: SessionState,
  seen: readonly SeenRow[],
  through: number,
): { range: PassRange; tokens: number } | null {
  const from = (session.summary?.covers_through_sequence ?? 0) + 1;
  if (through < from) return null;
  const kept = keptRows(session, seen, through);
  const covered = seen.filter(({ sequence }) => sequence <= through && !kept.has(sequence));
  if (covered.every(({ context }) => context)) return null;
  const keeps = [...kept].sort((a, b) => a - b);
  const count =
    through -
    from +
    1 -
    keeps.filter((sequence) => sequence >= from).length +
    covered.filter(({ sequence }) => sequence < from).length;
  return { range: { from, through, keeps, count }, tokens: covered.reduce((sum, { tokens }) => sum + tokens, 0) };
}

/** Up to `through`: input rows of open turns, and calls whose results come after it, or are still to come. */
function keptRows(session: SessionState, seen: readonly SeenRow[], through: number): Set<number> {
  const kept = inputRows(session);
  for (const sequence of kept) if (sequence > through) kept.delete(sequence);
  const later = new Set(seen.flatMap(({ sequence, results }) => (sequence > through ? results : [])));
  for (const open of session.open.values()) for (const { call } of open.pending) later.add(call.tool_call_id);
  for (const { sequence, calls } of seen)
    if (sequence <= through && calls.some((id) => later.has(id))) kept.add(sequence);
  return kept;
}

function inputRows(session: SessionState): Set<number> {
  return new Set([...session.open.values()].flatMap(({ input }) => input.input_sequence ?? []));
}

/**
 * Sequence of the first row of the newest exchange. That is what the model has not answered yet of an open turn, with
 * the calls that it answers; else the newest row, and for an answer what it answers. Input rows of open turns and
 * context values are no part of it.
 */
function exchangeStart(session: SessionState, seen: readonly SeenRow[]): number {
  const inputs = inputRows(session);
  const said = seen.filter(({ context, sequence }) => !context && !inputs.has(sequence));
  const answer = said.findLastIndex(({ answers }) => answers);
  const unanswered = said.findIndex(
    ({ turnId, results }, index) =>
      index > answer && (results.length > 0 || (turnId !== null && session.open.has(turnId))),
  );
  let start = unanswered < 0 ? said.length - 1 : unanswered;
  if (start === answer && start > 0 && said[start]?.calls.length === 0 && said[start - 1]?.answers === false)
    start -= 1;
  const answered = new Set(said[start]?.results);
  const caller =
    answered.size === 0
      ? -1
      : said.findLastIndex(({ calls }, index) => index < start && calls.some((id) => answered.has(id)));
  return (caller < 0 ? said[start] : said[caller])?.sequence ?? 0;
}
