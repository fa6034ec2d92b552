import type { SourceEvent } from '@aos/client';

const shownMax = 160;

/** A few words on what an event is about, from its payload. */
export function eventText({ event_type: type, event }: SourceEvent): string {
  const payload = event as Record<string, unknown>;
  const { title, subject, memory_key: memoryKey, table_name: table, identity, role, content } = payload;
  if (type.startsWith('session.message')) return cut(`${String(role)}: ${textOf(content)}`);
  if (type.startsWith('table.row')) return cut(`${String(table)} / ${String(identity)}`);
  if (type.startsWith('memory.entry')) return cut(String(memoryKey));
  return cut(String(title ?? subject ?? ''));
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return '';
  const [first] = content as Record<string, unknown>[];
  if (first === undefined) return '';
  if (first['type'] === 'tool_use') return `calls ${String(first['name'])}`;
  if (first['type'] === 'tool_result') return 'result of a call';
  return String(first['text'] ?? first['thinking'] ?? first['type'] ?? '');
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= shownMax ? line : `${line.slice(0, shownMax - 1)}…`;
}

/** The page of what an event is about, where the console has one. */
export function pageOf({ source_kind: kind, source_id: id, meta }: SourceEvent): { to: string; id: string } | null {
  if (kind === 'session') return { to: '/sessions/$id', id };
  if (kind === 'interaction') return { to: '/questions/$id', id };
  if (kind === 'table_row' && meta.table_id) return { to: '/tables/$id', id: meta.table_id };
  if ((kind === 'agent_memory' || kind === 'email') && meta.agent_id) return { to: '/agents/$id', id: meta.agent_id };
  return null;
}
