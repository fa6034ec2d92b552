import { Injectable } from '@nestjs/common';
import { jsonSize, listAt, listLength, listValues } from '@aos/kernel';
import { Decisions, pageBytesMax } from '@aos/platform';
import type { Row, SessionEvent } from '../session/session.events.js';
import { sessionKind, type SessionState } from '../session/session.state.js';

const readPage = 256;

/** Which hidden rows a reader asked for. */
export interface RowFilter {
  context: boolean;
  partials: boolean;
  /** Only rows of this turn. */
  turnId?: string;
}

/** A row and a revision at or before the event that stored it. */
export interface RowAt {
  row: Row;
  revision: number;
}

export interface RowPage {
  /** Ascending by sequence. */
  rows: Row[];
  /** Whether more rows lie beyond, in the direction read. */
  more: boolean;
}

/** A page as it fills: ends at its rows or at its bytes, whichever comes first; one row alone may be larger. */
class Filling {
  readonly rows: Row[] = [];
  private bytes = 0;

  constructor(private readonly limit: number) {}

  /** False when the row lies beyond the page. */
  takes(row: Row): boolean {
    const bytes = jsonSize(row.content);
    if (this.rows.length === this.limit || (this.rows.length > 0 && this.bytes + bytes > pageBytesMax)) return false;
    this.rows.push(row);
    this.bytes += bytes;
    return true;
  }
}

/**
 * Reads transcript rows by sequence straight from the session's stream, without folding it: the sparse index finds
 * where to begin.
 */
@Injectable()
export class TranscriptRows {
  constructor(private readonly decisions: Decisions) {}

  /** Up to `limit` rows and 8 MiB with `sequence > after` (and `< before` when given), oldest first. */
  async after(
    sessionId: string,
    state: SessionState,
    after: number,
    limit: number,
    filter: RowFilter,
    before = Number.POSITIVE_INFINITY,
  ): Promise<RowPage> {
    const filling = new Filling(limit);
    const { rows } = filling;
    let from = revisionBefore(state, after + 1);
    for (;;) {
      const events = await this.decisions.read<SessionEvent>(sessionKind, sessionId, {
        from,
        limit: readPage,
        bytesMax: pageBytesMax,
      });
      for (const event of events) {
        const row = rowOf(event);
        if (!row || row.sequence <= after || !shown(row, filter)) continue;
        if (row.sequence >= before) return { rows, more: false };
        if (!filling.takes(row)) return { rows, more: true };
      }
      const last = events.at(-1);
      if (!last) return { rows, more: false };
      from = last.revision + 1;
    }
  }

  /** The last `limit` rows with `sequence < before` (and `> after` when given); given oldest first all the same. */
  async before(
    sessionId: string,
    state: SessionState,
    before: number,
    limit: number,
    filter: RowFilter,
    after = 0,
  ): Promise<RowPage> {
    const filling = new Filling(limit);
    const { rows } = filling;
    let from = before > state.sequence ? undefined : revisionAfter(state, before);
    for (;;) {
      const events = await this.decisions.read<SessionEvent>(sessionKind, sessionId, {
        ...(from === undefined ? {} : { from }),
        backwards: true,
        limit: readPage,
        bytesMax: pageBytesMax,
      });
      for (const event of events) {
        const row = rowOf(event);
        if (!row || row.sequence >= before || !shown(row, filter)) continue;
        if (row.sequence <= after) return { rows: rows.reverse(), more: false };
        if (!filling.takes(row)) return { rows: rows.reverse(), more: true };
      }
      const last = events.at(-1);
      if (!last || last.revision === 0) return { rows: rows.reverse(), more: false };
      from = last.revision - 1;
    }
  }
}

/** The row that an event adds to the transcript, or null. */
export function rowOf(event: SessionEvent): Row | null {
  return event.type === 'MessageAppended' || event.type === 'ContextRecorded' || event.type === 'TranscriptSummarised'
    ? event.data.row
    : null;
}

function shown(row: Row, filter: RowFilter): boolean {
  if (filter.turnId !== undefined && row.turn_id !== filter.turnId) return false;
  if (row.hidden === 'context') return filter.context;
  if (row.hidden === 'partial') return filter.partials;
  return true;
}

/** A revision at or before the row of this sequence. */
export function revisionBefore(state: SessionState, sequence: number): number {
  let low = 0;
  let high = listLength(state.marks);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (markAt(state, middle)[0] <= sequence) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0 : markAt(state, low - 1)[1];
}

function markAt(state: SessionState, index: number): readonly [number, number] {
  const mark = listAt(state.marks, index);
  if (!mark) throw new RangeError(`no mark ${index}`);
  return mark;
}

/** A revision at or after the row of this sequence; undefined: the end. */
function revisionAfter(state: SessionState, sequence: number): number | undefined {
  const mark = listValues(state.marks).find(([marked]) => marked >= sequence);
  return mark?.[1];
}
