import { Injectable } from '@nestjs/common';
import { jsonSize, listAt, type JsonObject, type PersistentList } from '@aos/kernel';
import { Decisions, pageBytesMax } from '@aos/platform';
import { CallOutcomes, rowOf, type Row, type SessionEvent, type TurnRecord } from '@aos/sessions/published';
import { SessionLog, callsOf, type RowAt, type SessionEventAt } from '../feed/session-log.js';
import { callPatches, type CallPositions } from '../frames/tool-status.frames.js';

/** One page of a snapshot: a range of the stream, as records. */
export interface SnapshotPage {
  /** Visible rows of the range, ascending; before them earlier rows of which the range settles a call. */
  rows: Row[];
  turns: TurnRecord[];
  /** Where the next page begins; null on the last one. */
  next: number | null;
}

const eventsPerRead = 128;

/**
 * Pages of a session's transcript by revision: every event at or below the cut lies on exactly one page, so that the
 * pages together say what the stream says up to there.
 */
@Injectable()
export class SnapshotPages {
  constructor(
    private readonly log: SessionLog,
    private readonly decisions: Decisions,
  ) {}

  /** Records of a session's state, with their large values put back. */
  whole(orgId: string, records: readonly JsonObject[]): Promise<readonly JsonObject[]> {
    return this.decisions.whole(orgId, records);
  }

  /**
   * The newest rows at or below a revision.
   *
   * Takes    the last revision of the page, the snapshot's cut, rows wanted, and for which ended turns their last event
   *          is in range (absent on the first page: every turn that is met counts as it stands there).
   */
  async back(
    sessionId: string,
    through: number,
    cut: number,
    limit: number,
    finalAt?: PersistentList<number>,
  ): Promise<SnapshotPage & { from: number }> {
    const seen: SessionEventAt[] = [];
    const room = new Room(limit);
    let at = through;
    while (at >= 0 && !room.isFull) {
      const events = await this.log.downFrom(sessionId, at, eventsPerRead, pageBytesMax);
      if (events.length === 0) break;
      for (const event of events) {
        seen.push(event);
        if (!room.takes(event)) break;
      }
      at = (events.at(-1)?.revision ?? 0) - 1;
    }
    const hasMore = room.isFull;
    // the row beyond the page and what lies below the page's oldest
    if (hasMore) seen.splice(seen.findLastIndex((event) => isVisible(event)));
    const oldest = hasMore ? seen.findLastIndex((event) => isVisible(event)) : seen.length - 1;
    const range = seen.slice(0, oldest + 1).reverse();
    const { rows, turns } = await this.tell(sessionId, range, cut, false);
    const from = range[0]?.revision ?? 0;
    return {
      rows,
      turns: finalAt ? turns.filter((turn) => endsWithin(turn, finalAt, from, through)) : turns,
      next: hasMore ? from : null,
      from,
    };
  }

  /** What came after a revision, up to the cut, oldest first. */
  async on(sessionId: string, after: number, cut: number, limit: number): Promise<SnapshotPage> {
    const range: SessionEventAt[] = [];
    const room = new Room(limit);
    let at = after;
    let isOver = false;
    while (at < cut && !isOver) {
      const events = await this.log.after(sessionId, at, eventsPerRead, pageBytesMax);
      if (events.length === 0) break;
      for (const event of events) {
        isOver = event.revision > cut || !room.takes(event);
        if (isOver) break;
        range.push(event);
        at = event.revision;
      }
    }
    const { rows, turns } = await this.tell(sessionId, range, cut, true);
    return { rows, turns, next: at < cut ? at : null };
  }

  private async tell(
    sessionId: string,
    range: readonly SessionEventAt[],
    cut: number,
    settlesEarlier: boolean,
  ): Promise<{ rows: Row[]; turns: TurnRecord[] }> {
    const outcomes = new CallOutcomes();
    const turns = new Map<string, TurnRecord>();
    const found: RowAt[] = settlesEarlier ? await this.earlierRows(sessionId, range, outcomes) : [];
    for (const event of range) {
      outcomes.note(event);
      const turn = turnOf(event);
      if (turn) turns.set(turn.id, turn);
      const row = rowOf(event);
      if (row && row.hidden === undefined) found.push({ row, revision: event.revision });
    }
    return { rows: await outcomes.settle(this.decisions, sessionId, found, cut), turns: [...turns.values()] };
  }

  /** Rows before the range whose tool calls it settles: a reader who has them must learn of it (rule F15). */
  private async earlierRows(
    sessionId: string,
    range: readonly SessionEventAt[],
    outcomes: CallOutcomes,
  ): Promise<RowAt[]> {
    const calls: CallPositions = new Map();
    const earlier = new Map<string, RowAt>();
    const changed = new Map<string, RowAt>();
    for (const event of range) {
      if (callsOf(event).some((id) => !calls.has(id))) {
        for (const row of await this.log.findCalls(sessionId, event, calls)) earlier.set(row.row.id, row);
        outcomes.know(calls);
      }
      for (const { messageId } of callPatches(event, calls)) {
        const row = earlier.get(messageId);
        if (row) changed.set(messageId, row);
      }
    }
    return [...changed.values()].sort((a, b) => a.revision - b.revision);
  }
}

/** What a page still has room for: so many rows, and 8 MiB of them; one row alone may be larger. */
class Room {
  private rows = 0;
  private bytes = 0;
  isFull = false;

  constructor(private readonly limit: number) {}

  /** False, from then on, for the first visible row beyond the page. */
  takes(event: SessionEvent): boolean {
    const row = rowOf(event);
    if (row === null || row.hidden !== undefined) return true;
    this.bytes += jsonSize(row.content);
    this.isFull = this.rows === this.limit || (this.rows > 0 && this.bytes > pageBytesMax);
    this.rows += 1;
    return !this.isFull;
  }
}

function isVisible(event: SessionEvent): boolean {
  const row = rowOf(event);
  return row !== null && row.hidden === undefined;
}

function endsWithin(turn: TurnRecord, finalAt: PersistentList<number>, from: number, through: number): boolean {
  const at = listAt(finalAt, turn.seq) ?? -1;
  return at >= from && at <= through;
}

/** The record of a turn that an event carries. */
export function turnOf(event: SessionEvent): TurnRecord | null {
  switch (event.type) {
    case 'TurnQueued':
    case 'TurnClaimed':
    case 'TurnRequeued':
    case 'TurnParked':
    case 'TurnResumed':
    case 'TurnCompleted':
    case 'TurnFailed':
    case 'TurnCancelled':
      return event.data.turn;
    default:
      return null;
  }
}
