import type { CallEnd } from '../reading/call-outcomes.js';
import { callEnds } from '../reading/call-outcomes.js';
import { rowOf } from '../reading/transcript-rows.js';
import type { SessionEvent, TurnRecord } from '../session/session.events.js';
import { turnWire } from '../session/session.wire.js';
import { rowElsewhere, rowFragment, rowWeight, textWeight, type RowFragment } from './row-fragment.js';

/** Revisions of one chunk. */
export const chunkRevisions = 128;
/** A chunk that weighs more is not kept. */
export const chunkBytesMax = 4 * 1024 * 1024;

/** An ended turn as JSON text, made once. */
export interface TurnFragment {
  /** Of its last event. */
  readonly revision: number;
  readonly id: string;
  readonly ordinal: number;
  /** `AgentTurn`. Null: the text is not kept. */
  readonly text: string | null;
}

/** What an event settles, and where. */
export interface CallEndAt extends CallEnd {
  readonly revision: number;
}

/** An event of a session; `isPartial`: values of it lie in Blobs and are not put back. */
export type ChunkEvent = SessionEvent & { revision: number; isPartial: boolean };

/** Types of events that chunks are made from. */
export const chunkEventTypes: ReadonlySet<SessionEvent['type']> = new Set([
  'MessageAppended',
  'ContextRecorded',
  'TranscriptSummarised',
  'ToolCallFinished',
  'TurnCompleted',
  'TurnFailed',
  'TurnCancelled',
] as const);

/** The chunk that a revision lies in. */
export function chunkAt(revision: number): number {
  return Math.floor(revision / chunkRevisions);
}

/** Fragments of 128 revisions of a session, ascending. */
export class TranscriptChunk {
  readonly rows: RowFragment[] = [];
  readonly turns: TurnFragment[] = [];
  readonly ends: CallEndAt[] = [];
  readonly end: number;
  private takenThrough: number;
  private bytes = 500;
  private tooLarge = false;

  constructor(readonly index: number) {
    this.takenThrough = index * chunkRevisions - 1;
    this.end = (index + 1) * chunkRevisions - 1;
  }

  /** The last revision that it has seen. */
  get upTo(): number {
    return this.takenThrough;
  }
  /** Bytes that it keeps, about. */
  get weight(): number {
    return this.bytes;
  }
  /** Keeps nothing, and looks at nothing more. */
  get isTooLarge(): boolean {
    return this.tooLarge;
  }

  /** Takes the next event; one that it has seen changes nothing. */
  take(event: ChunkEvent, sessionId: string, agentId: string): void {
    if (event.revision <= this.takenThrough) return;
    this.takenThrough = event.revision;
    const row = rowOf(event);
    if (row) {
      const fragment = event.isPartial
        ? rowElsewhere(row, event.revision)
        : rowFragment(row, event.revision, sessionId, agentId);
      this.rows.push(fragment);
      this.bytes += rowWeight(fragment);
    }
    const turn = endedTurn(event);
    if (turn) {
      const text = event.isPartial ? null : JSON.stringify(turnWire(turn));
      this.turns.push({ revision: event.revision, id: turn.id, ordinal: turn.seq, text });
      this.bytes += 200 + turn.id.length + textWeight(text ?? '');
    }
    for (const end of callEnds(event)) {
      this.ends.push({ ...end, revision: event.revision });
      this.bytes += 100 + end.id.length;
    }
    if (this.bytes > chunkBytesMax) this.empty();
  }

  /** Events up to here are seen: none after the last one taken concerns it. */
  seenThrough(revision: number): void {
    this.takenThrough = Math.max(this.takenThrough, Math.min(revision, this.end));
  }

  private empty(): void {
    this.tooLarge = true;
    this.takenThrough = this.end;
    this.bytes = 500;
    for (const list of [this.rows, this.turns, this.ends]) list.length = 0;
  }
}

/** The record in a turn's last event. */
function endedTurn(event: SessionEvent): TurnRecord | null {
  return event.type === 'TurnCompleted' || event.type === 'TurnFailed' || event.type === 'TurnCancelled'
    ? event.data.turn
    : null;
}
