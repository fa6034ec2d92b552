import { Injectable } from '@nestjs/common';
import type { Schema } from '@aos/contract';
import { listAt, notFound } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { nudgeId, parseSessionPart } from '../session/session.ids.js';
import type { NudgeRecord, SessionEvent } from '../session/session.events.js';
import { sessionKind, type SessionState } from '../session/session.state.js';
import { TurnReader } from './turn-reader.js';

/** Reads nudges: pending ones from the folded state, settled ones by the revision of their last event. */
@Injectable()
export class NudgeReader {
  constructor(
    private readonly decisions: Decisions,
    private readonly turns: TurnReader,
  ) {}

  async record(sessionId: string, state: SessionState, ordinal: number): Promise<NudgeRecord> {
    const pending = state.pendingNudges.find(({ id }) => id === nudgeId(sessionId, ordinal));
    if (pending) return pending;
    const event = await this.at(sessionId, listAt(state.nudgeAt, ordinal) ?? -1);
    if (
      event?.type === 'NudgeQueued' ||
      event?.type === 'NudgeDelivered' ||
      event?.type === 'NudgeCancelled' ||
      event?.type === 'NudgeRetargeted'
    )
      return event.data.nudge;
    throw new Error(`${sessionId}: no event of nudge ${ordinal}`);
  }

  /**
   * The answer of its admission, for a repeat: a nudge that became a turn later keeps the routing of that answer (rule
   * N5).
   */
  async admission(
    sessionId: string,
    state: SessionState,
    ordinal: number,
  ): Promise<{ nudge: NudgeRecord; after_sequence: number; woke_turn: boolean }> {
    const event = await this.at(sessionId, listAt(state.nudgeQueuedAt, ordinal) ?? -1);
    if (event?.type !== 'NudgeQueued') throw new Error(`${sessionId}: no admission of nudge ${ordinal}`);
    return event.data;
  }

  /** The contract's `SessionNudge`, with its turn's status as it is now. */
  async wire(sessionId: string, state: SessionState, ordinal: number): Promise<Schema<'SessionNudge'>> {
    const nudge = await this.record(sessionId, state, ordinal);
    const target = parseSessionPart(nudge.turn.id, 'turn');
    const turn = await this.turns.turn(sessionId, state, target?.ordinal ?? -1);
    return { ...nudge, turn: { id: turn.id, status: turn.status } };
  }

  private async at(sessionId: string, revision: number): Promise<SessionEvent | undefined> {
    return (await this.decisions.read<SessionEvent>(sessionKind, sessionId, { from: revision, limit: 1 }))[0];
  }
}

/** The ordinal of a nudge of this session; 404 for any other id. */
export function nudgeOrdinal(state: SessionState, sessionId: string, nudgeId: string): number {
  const parsed = parseSessionPart(nudgeId, 'nudge');
  if (!parsed || parsed.sessionId !== sessionId || parsed.ordinal >= state.nudgeCount) throw notFound('nudge');
  return parsed.ordinal;
}
