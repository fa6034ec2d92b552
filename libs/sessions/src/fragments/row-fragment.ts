import { jsonSize } from '@aos/kernel';
import type { Row } from '../session/session.events.js';
import { transcriptMessageWire } from '../session/session.wire.js';

/** A tool call of a row, whose status is filled in when the row is read. */
export interface CallPlace {
  id: string;
  /** Status while nothing settles the call. */
  open: string;
}

/** A transcript row as JSON text, made once. What a read decides, the status of tool calls, is left out. */
export interface RowFragment {
  readonly revision: number;
  readonly sequence: number;
  readonly turnId: string | null;
  readonly hidden: Row['hidden'];
  /** About the bytes of its blocks. */
  readonly size: number;
  /** `SessionTranscriptMessage`, cut where the status of each call belongs. Null: the text is not kept. */
  readonly parts: readonly string[] | null;
  readonly calls: readonly CallPlace[];
}

const noCalls: readonly CallPlace[] = [];

/** Takes a row that stands whole in its event. */
export function rowFragment(row: Row, revision: number, sessionId: string, agentId: string): RowFragment {
  const calls = callsIn(row);
  const shown = calls.length === 0 ? row : withMarks(row);
  const text = JSON.stringify(transcriptMessageWire(shown, sessionId, agentId));
  return {
    revision,
    sequence: row.sequence,
    turnId: row.turn_id,
    hidden: row.hidden,
    size: jsonSize(row.content),
    parts: cutAtMarks(text, calls.length),
    calls,
  };
}

/** Stands for a row whose text is not kept. */
export function rowElsewhere(row: Pick<Row, 'sequence' | 'turn_id' | 'hidden'>, revision: number): RowFragment {
  const { sequence, turn_id: turnId, hidden } = row;
  return { revision, sequence, turnId, hidden, size: 0, parts: null, calls: noCalls };
}

/** The row as `SessionTranscriptMessage`. Takes a fragment with text. */
export function transcriptText({ parts, calls }: RowFragment, statusOf: (call: CallPlace) => string): string {
  if (!parts) throw new Error('a row without text');
  let [text = ''] = parts;
  for (const [at, call] of calls.entries()) text += JSON.stringify(statusOf(call)) + (parts[at + 1] ?? '');
  return text;
}

/** Bytes that a fragment keeps, about. */
export function rowWeight({ parts, calls, turnId }: RowFragment): number {
  let weight = 200 + (turnId?.length ?? 0) + 120 * calls.length;
  for (const part of parts ?? []) weight += textWeight(part);
  return weight;
}

/** Text beyond ASCII may take two bytes a unit in memory. */
export function textWeight(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
}

/** Calls whose status a read fills in; rows from elsewhere stay as they were given (rule S39). */
function callsIn({ turn_id: turnId, content }: Row): readonly CallPlace[] {
  if (turnId === null) return noCalls;
  const calls = content.filter(({ type }) => type === 'tool_use');
  if (calls.length === 0) return noCalls;
  return calls.map(({ id, status }) => ({ id: String(id), open: typeof status === 'string' ? status : 'running' }));
}

function withMarks(row: Row): Row {
  let at = 0;
  const content = row.content.map((block) => (block.type === 'tool_use' ? { ...block, status: mark(at++) } : block));
  return { ...row, content };
}

function mark(at: number): string {
  return `\u0001${at}\u0001`;
}

/** Null when the text has a mark of its own: it is not known which is ours. */
function cutAtMarks(text: string, count: number): string[] | null {
  const parts: string[] = [];
  let rest = text;
  for (let at = 0; at < count; at += 1) {
    const [before, after, ...more] = rest.split(JSON.stringify(mark(at)));
    if (before === undefined || after === undefined || more.length > 0) return null;
    parts.push(before);
    rest = after;
  }
  return [...parts, rest];
}
