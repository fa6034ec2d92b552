import type { Decisions } from '@aos/platform';
import type { Block, Row, SessionEvent } from '../session/session.events.js';
import { sessionKind } from '../session/session.state.js';
import { rowOf, type RowAt } from './transcript-rows.js';

export type EventReader = Pick<Decisions, 'read'>;

/** Events of one read, and in all, that are looked through behind a row for the results of its calls. */
export const resultSearchStep = 128;
export const resultSearchMax = 1024;

/** What an event says about the end of a tool call. */
export interface CallEnd {
  readonly id: string;
  /** Null: the call was given a result, which says nothing about how it ended. */
  readonly outcome: string | null;
}

/** Ends of tool calls that an event tells. */
export function callEnds(event: SessionEvent): CallEnd[] {
  if (event.type === 'ToolCallFinished')
    return [{ id: event.data.outcome.tool_call_id, outcome: event.data.outcome.status }];
  const row = rowOf(event);
  if (!row || row.turn_id === null) return [];
  return row.content
    .filter(({ type }) => type === 'tool_result')
    .map((block) => ({ id: String(block.tool_use_id), outcome: null }));
}

/** How the tool calls of rows ended, as far as events were looked at, in any order. */
export class CallOutcomes {
  private readonly recorded = new Map<string, string>();
  private readonly answered = new Set<string>();

  note(event: SessionEvent): void {
    for (const end of callEnds(event)) this.noteEnd(end);
  }

  noteEnd({ id, outcome }: CallEnd): void {
    if (outcome === null) this.answered.add(id);
    else this.recorded.set(id, outcome);
  }

  /** Outcomes that were recorded before what is looked at. */
  know(calls: Iterable<readonly [string, { outcome: string | null }]>): void {
    for (const [id, { outcome }] of calls) if (outcome !== null) this.recorded.set(id, outcome);
  }

  /** Null while a call is open; a call with a result but no outcome of its own was cancelled with its turn. */
  of(toolCallId: string): string | null {
    return this.recorded.get(toolCallId) ?? (this.answered.has(toolCallId) ? 'cancelled' : null);
  }

  /** Calls of these rows that nothing seen so far settles. */
  private openCalls(rows: readonly RowAt[]): Set<string> {
    const open = new Set<string>();
    for (const { row } of rows) {
      if (row.turn_id === null) continue;
      for (const block of row.content)
        if (block.type === 'tool_use' && this.of(String(block.id)) === null) open.add(String(block.id));
    }
    return open;
  }

  /** Gives the rows with the status of each call; looks on behind them where calls are still open. */
  async settle(reader: EventReader, sessionId: string, rows: readonly RowAt[], through = Infinity): Promise<Row[]> {
    const open = this.openCalls(rows);
    let from = (rows.find(({ row }) => row.content.some((block) => open.has(String(block.id))))?.revision ?? 0) + 1;
    for (let seen = 0; open.size > 0 && seen < resultSearchMax && from <= through;) {
      const page = await reader.read<SessionEvent>(sessionKind, sessionId, { from, limit: resultSearchStep });
      for (const event of page) if (event.revision <= through) this.note(event);
      for (const id of [...open]) if (this.of(id) !== null) open.delete(id);
      if (page.length < resultSearchStep) break;
      seen += page.length;
      from = (page.at(-1)?.revision ?? 0) + 1;
    }
    return rows.map(({ row }) => withCallStatus(row, (id) => this.of(id)));
  }
}

/**
 * The row with the status of each tool call (rule S39); `outcomeOf` gives null for calls that are open. Rows from
 * elsewhere stay as they were given.
 */
export function withCallStatus(row: Row, outcomeOf: (toolCallId: string) => string | null): Row {
  if (row.turn_id === null || !row.content.some(({ type }) => type === 'tool_use')) return row;
  const content = row.content.map((block): Block => {
    if (block.type !== 'tool_use') return block;
    const outcome = outcomeOf(String(block.id));
    return { ...block, status: outcome ?? (typeof block.status === 'string' ? block.status : 'running') };
  });
  return { ...row, content };
}
