import { Injectable } from '@nestjs/common';
import type { Schema } from '@aos/contract';
import { listLength, mapGet, type Identity } from '@aos/kernel';
import type { Decided } from '@aos/platform';
import { SessionCursors } from '../reading/session-cursors.js';
import { TurnReader } from '../reading/turn-reader.js';
import type { Row, SessionEvent, TurnInputFacts, TurnRecord } from '../session/session.events.js';
import { turnId } from '../session/session.ids.js';
import type { SessionState } from '../session/session.state.js';
import { sessionWire, transcriptMessageWire, turnWire, type TranscriptMessageWire } from '../session/session.wire.js';

export type TurnAckWire = Omit<Schema<'TurnAck'>, 'user_message'> & { user_message?: TranscriptMessageWire };

/** A turn that was started, or that a repeat named again. */
export interface TurnStart {
  sessionId: string;
  turnId: string;
  deduped: boolean;
  /** Builds the acknowledgement of rule T2. A start that is answered with a stream has none. */
  acknowledge(): Promise<TurnAckWire>;
}

/** What `startTurn` decided. */
type Started = Decided<SessionState, SessionEvent>;

/** Tells callers of the turns that they started. */
@Injectable()
export class TurnAcks {
  constructor(
    private readonly reader: TurnReader,
    private readonly cursors: SessionCursors,
  ) {}

  /** Takes what was decided for an input, and the input's idempotency key. */
  of(who: Identity, sessionId: string, started: Started, key: string | undefined): TurnStart {
    const deduped = started.events.length === 0;
    const ordinal = deduped
      ? mapGet(started.state.turnByKey, key?.trim() ?? '')
      : listLength(started.state.queuedAt) - 1;
    if (ordinal === undefined) throw new Error('a repeat without its turn');
    return {
      sessionId,
      turnId: turnId(sessionId, ordinal),
      deduped,
      acknowledge: () => this.wire(who, sessionId, started, ordinal),
    };
  }

  private async wire(who: Identity, sessionId: string, started: Started, ordinal: number): Promise<TurnAckWire> {
    const { state, revision } = started;
    const session = sessionWire(state, revision, who);
    const { turn, input, row } = admitted(started) ?? (await this.reader.admitted(sessionId, state, ordinal));
    const wire: TurnAckWire = {
      session,
      turn: turnWire(turn),
      session_id: sessionId,
      turn_id: turn.id,
      status: turn.status,
      resume_cursor: this.cursors.seal(who.orgId, sessionId, input.resume_revision),
      after_sequence: input.after_sequence,
      deduped: started.events.length === 0,
    };
    if (input.dropped_blocks !== undefined) wire.dropped_blocks = input.dropped_blocks;
    if (row) wire.user_message = transcriptMessageWire(row, sessionId, state.opening?.agent_id ?? '');
    return wire;
  }
}

/** The turn as it was queued, with its input; null for a repeat. */
function admitted({ events }: Started): { turn: TurnRecord; input: TurnInputFacts; row: Row | undefined } | null {
  const queued = events.find((event) => event.type === 'TurnQueued');
  if (!queued) return null;
  const row = events.flatMap((event) => (event.type === 'MessageAppended' ? [event.data.row] : []))[0];
  return { ...queued.data, row };
}
