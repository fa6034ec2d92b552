import { Injectable } from '@nestjs/common';
import { StoreUnavailable, listAt, notFound } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { parseSessionPart, turnId } from '../session/session.ids.js';
import type { Row, SessionEvent, TurnInputFacts, TurnRecord } from '../session/session.events.js';
import { sessionKind, type SessionState } from '../session/session.state.js';

/**
 * Reads turns from the session's stream: open ones from the folded state, final ones by the revision of their last
 * event.
 */
@Injectable()
export class TurnReader {
  constructor(private readonly decisions: Decisions) {}

  /** Takes a turn ordinal that the state knows; gives the whole record. */
  async turn(sessionId: string, state: SessionState, ordinal: number): Promise<TurnRecord> {
    const open = state.open.get(turnId(sessionId, ordinal));
    if (open) return open.turn;
    const event = await this.at(sessionId, listAt(state.finalAt, ordinal) ?? -1);
    if (event.type === 'TurnCompleted' || event.type === 'TurnFailed' || event.type === 'TurnCancelled')
      return event.data.turn;
    throw new Error(`${sessionId}: no final event of turn ${ordinal}`);
  }

  /** A turn as it is now with what its admission wrote: the input's facts and its row, if one was stored. */
  async admitted(
    sessionId: string,
    state: SessionState,
    ordinal: number,
  ): Promise<{ turn: TurnRecord; input: TurnInputFacts; row: Row | undefined }> {
    const queuedAt = listAt(state.queuedAt, ordinal) ?? -1;
    const turn = await this.turn(sessionId, state, ordinal);
    const [before, queued] = await this.decisions.read<SessionEvent>(sessionKind, sessionId, {
      from: Math.max(0, queuedAt - 1),
      limit: 2,
    });
    const event = queuedAt === 0 ? before : queued;
    if (event?.type !== 'TurnQueued') throw new Error(`${sessionId}: no admission of turn ${ordinal}`);
    const row =
      event.data.input.input_sequence !== null && before?.type === 'MessageAppended' ? before.data.row : undefined;
    return { turn, input: event.data.input, row };
  }

  /** Sequences around a turn's rows: all of them lie strictly between. */
  async rowSpan(sessionId: string, state: SessionState, ordinal: number): Promise<{ after: number; before: number }> {
    const queued = await this.at(sessionId, listAt(state.queuedAt, ordinal) ?? -1);
    if (queued.type !== 'TurnQueued') throw new Error(`${sessionId}: no admission of turn ${ordinal}`);
    const admittedRows = (listAt(state.queuedAt, ordinal) ?? 0) - queued.data.input.resume_revision - 1;
    const after = Math.max(0, queued.data.input.after_sequence - Math.max(0, admittedRows));
    const finalAt = listAt(state.finalAt, ordinal) ?? -1;
    if (finalAt < 0) return { after, before: Number.POSITIVE_INFINITY };
    for (let from = finalAt; from >= 0;) {
      const events = await this.decisions.read<SessionEvent>(sessionKind, sessionId, {
        from,
        backwards: true,
        limit: 64,
      });
      for (const event of events) {
        if (
          event.type === 'MessageAppended' ||
          event.type === 'ContextRecorded' ||
          event.type === 'TranscriptSummarised'
        )
          return { after, before: event.data.row.sequence + 1 };
      }
      const last = events.at(-1);
      if (!last) break;
      from = last.revision - 1;
    }
    return { after, before: 1 };
  }

  private async at(sessionId: string, revision: number): Promise<SessionEvent> {
    const [event] = await this.decisions.read<SessionEvent>(sessionKind, sessionId, { from: revision, limit: 1 });
    if (!event) throw new StoreUnavailable(`${sessionId}: nothing at revision ${revision}`);
    return event;
  }
}

/** The ordinal of a turn of this session; 404 for any other id. */
export function turnOrdinal(state: SessionState, sessionId: string, turnId: string): number {
  const parsed = parseSessionPart(turnId, 'turn');
  if (!parsed || parsed.sessionId !== sessionId || listAt(state.queuedAt, parsed.ordinal) === undefined)
    throw notFound('turn');
  return parsed.ordinal;
}
