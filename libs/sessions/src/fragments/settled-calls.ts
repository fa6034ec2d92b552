import { CallOutcomes, resultSearchMax, resultSearchStep } from '../reading/call-outcomes.js';
import type { CallPlace, RowFragment } from './row-fragment.js';
import type { SessionFragments } from './session-fragments.js';

/** A row, and a revision at or before the event that stored it. */
export interface FragmentAt {
  row: RowFragment;
  revision: number;
}

/**
 * How the tool calls of rows ended (rule S39), found as `CallOutcomes.settle` finds it.
 *
 * Takes    rows in order; what is known of them before; the last revision that counts, and the session's last one.
 * Gives    the status of a call; null when a part of what must be looked through is not kept.
 */
export async function settledCalls(
  session: SessionFragments,
  rows: readonly FragmentAt[],
  outcomes: CallOutcomes,
  through: number,
  head: number,
): Promise<((call: CallPlace) => string) | null> {
  const open = new Set<string>();
  let from = 0;
  for (const { row, revision } of rows) {
    for (const { id } of row.calls) {
      if (outcomes.of(id) !== null) continue;
      if (open.size === 0) from = revision + 1;
      open.add(id);
    }
  }
  for (let seen = 0; open.size > 0 && seen < resultSearchMax && from <= Math.min(through, head);) {
    const last = from + resultSearchStep - 1;
    const ends = await session.endsIn(from, Math.min(last, through), head);
    if (!ends) return null;
    for (const end of ends) outcomes.noteEnd(end);
    for (const id of [...open]) if (outcomes.of(id) !== null) open.delete(id);
    seen += resultSearchStep;
    from = last + 1;
  }
  return ({ id, open: standing }) => outcomes.of(id) ?? standing;
}
