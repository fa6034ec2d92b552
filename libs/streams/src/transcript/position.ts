import type { Decisions } from '@aos/platform';
import { revisionBefore, rowOf, sessionKind, type SessionEvent, type SessionState } from '@aos/sessions/published';

const eventsPerRead = 128;

/**
 * Where a v1 reader at a sequence resumes: the revision of the row with that sequence.
 *
 * Takes    the folded state and its revision (used before the first await). The state's sparse index leads to within 64
 *          rows of the place.
 * Gives    -1 for 0; the given revision for a sequence that is not reached yet.
 * Source   rule F4; ADR 9.
 */
export async function revisionOfSequence(
  reader: Pick<Decisions, 'read'>,
  sessionId: string,
  state: SessionState,
  revision: number,
  sequence: number,
): Promise<number> {
  if (sequence <= 0) return -1;
  if (sequence > state.sequence) return revision;
  let from = revisionBefore(state, sequence);
  for (;;) {
    const page = await reader.read<SessionEvent>(sessionKind, sessionId, { from, limit: eventsPerRead });
    for (const event of page) if (rowOf(event)?.sequence === sequence) return event.revision;
    if (page.length < eventsPerRead) throw new Error(`${sessionId}: no row ${sequence}`);
    from = (page.at(-1)?.revision ?? 0) + 1;
  }
}
