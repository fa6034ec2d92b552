import type { Row, SessionEvent, SessionOpening } from '../session/session.events.js';
import { rowOutsideTurnsId, turnRowId } from '../session/session.ids.js';
import type { OpenTurn } from '../session/session.state.js';
import { contextRow, type ContextItem } from './context.decide.js';

type NewRow = Pick<Row, 'role' | 'content' | 'created_at'> & Partial<Pick<Row, 'hidden' | 'metadata' | 'files'>>;

/** Numbers the rows that one decision adds, inside a turn and outside. */
export class RowWriter {
  private index: number;

  constructor(
    private sequence: number,
    private readonly open: OpenTurn,
    private readonly opening: SessionOpening,
  ) {
    this.index = open.nextIndex;
  }

  get lastSequence(): number {
    return this.sequence;
  }

  append(row: NewRow): SessionEvent {
    this.sequence += 1;
    const index = this.index;
    this.index += 1;
    return {
      type: 'MessageAppended',
      data: {
        row: {
          id: turnRowId(this.opening.id, this.open.ordinal, index),
          entry_type: 'message',
          sequence: this.sequence,
          turn_id: this.open.turn.id,
          turn_index: index,
          ...row,
        },
      },
    };
  }

  /** Between the turn's rows, without a place among them. */
  record(item: ContextItem, now: string): SessionEvent {
    this.sequence += 1;
    return {
      type: 'ContextRecorded',
      data: {
        row: contextRow(this.opening.id, this.sequence, this.open.turn.id, item, now),
        name: item.name,
        digest: item.digest,
      },
    };
  }
}

/** A row outside any turn. */
export function rowOutsideTurns(opening: SessionOpening, sequence: number, row: NewRow): Row {
  return {
    id: rowOutsideTurnsId(opening.id, sequence),
    entry_type: 'message',
    sequence,
    turn_id: null,
    turn_index: null,
    ...row,
  };
}
