import type { Interaction, TranscriptMessage, TranscriptTurn } from '@aos/client';

export type Block = TranscriptMessage['content'][number] & Record<string, unknown>;

/** Sort of a row, by which it is shown. */
export type RowKind =
  'user' | 'assistant' | 'system' | 'nudge' | 'outcome' | 'context' | 'compaction' | 'partial' | 'results';

/** One thing in the list of a transcript: a row, the line at which a turn begins, how it ended, or a question. */
export type Item =
  | { kind: 'row'; key: string; row: RowKind; rowId: string; isContinued: boolean }
  | { kind: 'turn'; key: string; turnId: string }
  | { kind: 'end'; key: string; turnId: string }
  | { kind: 'question'; key: string; interactionId: string };

export interface Known {
  rows: Iterable<TranscriptMessage>;
  turn: (id: string) => TranscriptTurn | undefined;
  turns: Iterable<TranscriptTurn>;
  interactions: Iterable<Interaction>;
}

export function kindOf({ role, content, entry_type, metadata }: TranscriptMessage): RowKind {
  if (role === 'compaction' || entry_type === 'compaction') return 'compaction';
  if (metadata?.partial === true) return 'partial';
  if (metadata?.event_type === 'interaction.resolved') return 'outcome';
  if (metadata?.session_nudge_id !== undefined) return 'nudge';
  const blocks = content as Block[];
  if (blocks.length > 0 && blocks.every(({ type }) => type === 'tool_result')) return 'results';
  if (blocks.length > 0 && blocks.every(({ type }) => type === 'reminder')) return 'context';
  if (role === 'assistant') return 'assistant';
  return role === 'system' ? 'system' : 'user';
}

/** Rows in the order of the transcript, those still streaming at the end. */
export function inOrder(rows: Iterable<TranscriptMessage>): TranscriptMessage[] {
  return [...rows].sort((a, b) => placeOf(a) - placeOf(b) || (a.turn_index ?? 0) - (b.turn_index ?? 0));
}

/** The tool calls of a row, by id. */
export function callIds({ content }: TranscriptMessage): string[] {
  return (content as Block[]).filter(({ type }) => type === 'tool_use').map(({ id }) => String(id));
}

/**
 * What is shown of a transcript, in order: where a turn begins, its rows, the questions under the call that asked them,
 * and the turn's end unless it completed. Results of calls that are there are shown with their call, not as a row.
 */
export function itemsOf(known: Known): Item[] {
  const rows = inOrder(known.rows);
  const calls = new Set(rows.flatMap(callIds));
  const lastOfTurn = new Map(rows.map(({ id, turn_id }) => [turn_id ?? null, id]));
  const asked = questionsByCall(known.interactions, calls);
  const items: Item[] = [];
  let turnId: string | null = null;
  let before: RowKind | null = null;
  for (const row of rows) {
    const kind = kindOf(row);
    const rowTurn = row.turn_id ?? null;
    const isShown = kind !== 'results' || !(row.content as Block[]).every((block) => calls.has(resultOf(block)));
    if (isShown) {
      if (rowTurn !== null && rowTurn !== turnId) items.push({ kind: 'turn', key: `turn:${row.id}`, turnId: rowTurn });
      const isContinued = rowTurn === turnId && before === kind && kind === 'assistant';
      items.push({ kind: 'row', key: row.id, row: kind, rowId: row.id, isContinued });
      turnId = rowTurn;
      before = kind;
    }
    for (const id of callIds(row).flatMap((call) => asked.get(call) ?? [])) items.push(question(id));
    if (rowTurn !== null && lastOfTurn.get(rowTurn) === row.id && hasEnd(known.turn(rowTurn)))
      items.push({ kind: 'end', key: `end:${rowTurn}`, turnId: rowTurn });
  }
  for (const turn of known.turns)
    if (!lastOfTurn.has(turn.id) && isOpen(turn))
      items.push(
        { kind: 'turn', key: `turn:${turn.id}`, turnId: turn.id },
        { kind: 'end', key: `end:${turn.id}`, turnId: turn.id },
      );
  for (const id of asked.get(null) ?? []) items.push(question(id));
  return items;
}

export function isOpen({ status }: { status: string }): boolean {
  return status === 'queued' || status === 'running' || status === 'waiting';
}

/** Whether a turn's end says more than its rows: it has not come yet, was no success, or gave an output. */
function hasEnd(turn: TranscriptTurn | undefined): boolean {
  return turn !== undefined && (turn.status !== 'completed' || turn.output !== undefined);
}

/** Ids of questions by the call that asked; under null the open ones whose call is not there. */
function questionsByCall(
  interactions: Iterable<Interaction>,
  calls: ReadonlySet<string>,
): Map<string | null, string[]> {
  const asked = new Map<string | null, string[]>();
  for (const { id, consumer, status } of interactions) {
    const call = consumer?.agent_tool?.tool_call_id;
    const under = call !== undefined && calls.has(call) ? call : null;
    if (under === null && status !== 'pending' && status !== 'in_review') continue;
    asked.set(under, [...(asked.get(under) ?? []), id]);
  }
  return asked;
}

function question(interactionId: string): Item {
  return { kind: 'question', key: interactionId, interactionId };
}

function resultOf(block: Block): string {
  return String(block['tool_use_id']);
}

function placeOf({ sequence }: TranscriptMessage): number {
  return sequence ?? Number.MAX_SAFE_INTEGER;
}
