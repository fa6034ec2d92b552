import { Injectable } from '@nestjs/common';
import { Decisions } from '@aos/platform';
import { sessionKind, type Row, type SessionEvent } from '@aos/sessions/published';
import { callSearchMax, readPage } from './stream.limits.js';
import type { CallPositions } from '../frames/tool-status.frames.js';

/** An event of a session with its place in the stream. */
export type SessionEventAt = SessionEvent & { revision: number };

/** A row with the revision of the event that stored it. */
export interface RowAt {
  row: Row;
  revision: number;
}

/** Reads of a session's stream by revision; large values are put back. */
@Injectable()
export class SessionLog {
  constructor(private readonly decisions: Decisions) {}

  /** With `bytesMax` it may end early: only none are the end then. */
  async after(sessionId: string, revision: number, limit = readPage, bytesMax?: number): Promise<SessionEventAt[]> {
    return this.decisions.read<SessionEvent>(sessionKind, sessionId, {
      from: revision + 1,
      limit,
      ...(bytesMax === undefined ? {} : { bytesMax }),
    });
  }

  /** What this process appended behind a revision up to another, without a read; null when not all of it is kept. */
  own(sessionId: string, revision: number, to: number): readonly SessionEventAt[] | null {
    return this.decisions.ownEvents<SessionEvent>(sessionKind, sessionId, { from: revision + 1, to });
  }

  /** Newest first, from a revision down; `bytesMax` as with `after`. */
  async downFrom(sessionId: string, revision: number, limit = readPage, bytesMax?: number): Promise<SessionEventAt[]> {
    if (revision < 0) return [];
    return this.decisions.read<SessionEvent>(sessionKind, sessionId, {
      from: revision,
      backwards: true,
      limit,
      ...(bytesMax === undefined ? {} : { bytesMax }),
    });
  }

  /**
   * Finds the rows of tool calls that an event speaks of and that a reader who began later has not seen.
   *
   * Takes    the event and the reader's places, which it adds to, with outcomes recorded in between.
   * Gives    the rows that were found.
   */
  async findCalls(sessionId: string, event: SessionEventAt, calls: CallPositions): Promise<RowAt[]> {
    const found: RowAt[] = [];
    const missing = new Set(callsOf(event).filter((id) => !calls.has(id)));
    const outcomes = new Map<string, string>();
    let from = event.revision - 1;
    for (let seen = 0; missing.size > 0 && from >= 0 && seen < callSearchMax;) {
      const page = await this.downFrom(sessionId, from);
      if (page.length === 0) break;
      for (const earlier of page) {
        if (earlier.type === 'ToolCallFinished')
          outcomes.set(earlier.data.outcome.tool_call_id, earlier.data.outcome.status);
        if (earlier.type !== 'MessageAppended') continue;
        const before = missing.size;
        for (const [contentIndex, block] of earlier.data.row.content.entries()) {
          const id = block.type === 'tool_use' ? String(block.id) : '';
          if (!missing.delete(id)) continue;
          calls.set(id, {
            messageId: earlier.data.row.id,
            contentIndex,
            turnId: earlier.data.row.turn_id ?? '',
            outcome: outcomes.get(id) ?? null,
          });
        }
        if (missing.size < before) found.push({ row: earlier.data.row, revision: earlier.revision });
      }
      seen += page.length;
      from = (page.at(-1)?.revision ?? 0) - 1;
    }
    return found;
  }
}

/** Tool calls of turns that an event settles. */
export function callsOf(event: SessionEvent): string[] {
  if (event.type === 'ToolCallFinished') return [event.data.outcome.tool_call_id];
  if (event.type !== 'MessageAppended' || event.data.row.turn_id === null) return [];
  return event.data.row.content.filter(({ type }) => type === 'tool_result').map((block) => String(block.tool_use_id));
}
