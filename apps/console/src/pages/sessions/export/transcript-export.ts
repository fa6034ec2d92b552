import type { AgentService, Schema } from '@aos/client';
import { markdownHead, rowMarkdown } from './transcript-markdown';

type Row = Schema<'SessionMessage'>;

export type ExportForm = 'json' | 'markdown';

export interface ExportOptions {
  signal?: AbortSignal;
  /** Called with the number of rows so far. */
  progress?: (rows: number) => void;
}

const query = { limit: 100, include: 'context', include_terminal_partials: true } as const;

/**
 * Reads a session's transcript whole, page by page, and gives it as a file: all rows, hidden ones too, as JSON with
 * session, turns and questions, or as Markdown to read.
 */
export async function exportTranscript(
  svc: AgentService,
  sessionId: string,
  form: ExportForm,
  { signal, progress }: ExportOptions = {},
): Promise<Blob> {
  const session = await svc.sessions.get(sessionId, { signal });
  const parts: Blob[] = [];
  let rows = 0;
  for await (const { items } of svc.sessions.listMessages(sessionId, query, { signal }).pages()) {
    parts.push(new Blob([form === 'json' ? jsonRows(items, rows === 0) : items.map(rowMarkdown).join('')]));
    rows += items.length;
    progress?.(rows);
  }
  if (form === 'markdown') return new Blob([markdownHead(session), ...parts], { type: 'text/markdown' });
  const head = JSON.stringify({
    session,
    turns: await svc.sessions.listTurns(sessionId, { limit: 100 }, { signal }).all(100_000),
    interactions: await svc.interactions.list({ session_id: sessionId, limit: 100 }, { signal }).all(100_000),
  });
  return new Blob([head.slice(0, -1), ',"messages":[', ...parts, ']}\n'], { type: 'application/json' });
}

/** The name of the file, of characters that every system takes. */
export function exportName({ id, title, session_key }: Schema<'Session'>, form: ExportForm): string {
  const name = (title === '' ? session_key : title).replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '');
  return `${name === '' || name === id ? id : `${name.slice(0, 60)}-${id}`}.${form === 'json' ? 'json' : 'md'}`;
}

function jsonRows(rows: readonly Row[], isFirst: boolean): string {
  const text = rows.map((row) => JSON.stringify(row)).join(',\n');
  return isFirst || text === '' ? text : `,\n${text}`;
}
