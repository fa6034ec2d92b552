import { Refusal, badRequest, notFound, type Issue, type JsonObject } from '@aos/kernel';
import type { Block, RowFile, RowRole, SessionEvent, Usage } from '../session/session.events.js';
import { openDirectTurn, type SessionState } from '../session/session.state.js';
import { rowOutsideTurns } from '../turn/rows.decide.js';

export interface ImportedRow {
  role: RowRole;
  content: Block[];
  /** Files of the service that the content refers to. */
  files: RowFile[];
  metadata: JsonObject | null;
  createdAt: string | null;
}

export interface ImportMessages {
  now: string;
  rows: ImportedRow[];
  usage: Usage;
  /** Tool calls of the transcript that earlier rows made, for results that answer them. */
  knownToolUses: ReadonlySet<string>;
}

/**
 * Brings in rows from elsewhere, in one commit and in order, without a turn.
 *
 * Refuses  bad_request for role `compaction`, a `reminder` block, a tool result that answers no tool use of the call or
 *          the transcript; session_turn_active while a direct turn is open; session_not_active for an archived session.
 * Source   rules S42, S46.
 */
export function importMessages(command: ImportMessages, session: SessionState): SessionEvent[] {
  const { opening } = session;
  if (!opening || session.status === 'deleted') throw notFound('session');
  refuseBadRows(command);
  const open = openDirectTurn(session);
  if (open)
    throw new Refusal(
      'session_turn_active',
      { turn_id: open.turn.id, status: open.turn.status },
      'the session has an open direct turn',
    );
  if (session.status === 'archived') throw new Refusal('session_not_active', {}, 'the session is archived');
  const events: SessionEvent[] = command.rows.map((row, index) => ({
    type: 'MessageAppended',
    data: {
      row: rowOutsideTurns(opening, session.sequence + 1 + index, {
        role: row.role,
        content: row.content,
        created_at: importedAt(row, command.now),
        ...(row.metadata ? { metadata: row.metadata } : {}),
        ...(row.files.length > 0 ? { files: row.files } : {}),
      }),
    },
  }));
  if (Object.values(command.usage).some((count) => count > 0))
    events.push({ type: 'CountersAdded', data: { usage: command.usage } });
  return events;
}

/** A time that is still to come would keep the session the newest, and a bounded one alive (rules S42, S46). */
function importedAt({ createdAt }: ImportedRow, now: string): string {
  return createdAt === null || createdAt > now ? now : createdAt;
}

/** Tool calls that the results of these rows answer. */
export function answeredToolUses(rows: readonly ImportedRow[]): string[] {
  return rows.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_result' ? [String(block.tool_use_id)] : [])),
  );
}

function refuseBadRows({ rows, knownToolUses }: ImportMessages): void {
  const issues: Issue[] = [];
  const made = new Set(knownToolUses);
  for (const [index, row] of rows.entries()) {
    const path = `/messages/${index}`;
    if (row.role === 'compaction')
      issues.push({ path: `${path}/role`, message: 'compaction rows are written by the service' });
    for (const [blockIndex, block] of row.content.entries()) {
      const at = `${path}/content/${blockIndex}`;
      if (block.type === 'reminder') issues.push({ path: `${at}/type`, message: 'reminder is written by the service' });
      if (block.type === 'tool_use') made.add(String(block.id));
      if (block.type === 'tool_result' && !made.has(String(block.tool_use_id)))
        issues.push({ path: `${at}/tool_use_id`, message: 'answers no tool_use of this call or the transcript' });
    }
  }
  if (issues.length > 0) throw badRequest(issues.slice(0, 20));
}
