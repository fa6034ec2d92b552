import type { Schema } from '@aos/client';
import type { Block } from '../transcript/transcript-items';

type Row = Schema<'SessionMessage'>;

const names: Readonly<Record<string, string>> = {
  user: 'User',
  assistant: 'Agent',
  system: 'System',
  tool: 'Tool',
  compaction: 'Summary',
};

/** The head of a transcript as Markdown. */
export function markdownHead({ id, title, session_key, agent_id, created_at }: Schema<'Session'>): string {
  return `# ${title === '' ? session_key : title}\n\nSession \`${id}\`, agent \`${agent_id}\`, since ${created_at}.\n\n`;
}

/** One row as Markdown, with what the service says of it. */
export function rowMarkdown(row: Row): string {
  const { role, content, created_at, metadata, entry_type, covers_through_sequence: covers } = row;
  const marks = [
    metadata?.session_nudge_id === undefined ? null : 'nudge',
    metadata?.partial === true ? `kept of a turn that ${metadata.terminal_outcome ?? 'failed'}` : null,
    entry_type === 'compaction' && covers !== undefined ? `rows up to ${covers}` : null,
  ].filter((mark) => mark !== null);
  const head = `## ${names[role] ?? role}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}`;
  const blocks = (content as Block[]).map(blockMarkdown).filter((text) => text !== '');
  return `${head}\n\n<!-- row ${row.sequence}, ${created_at} -->\n\n${blocks.join('\n\n')}\n\n`;
}

function blockMarkdown(block: Block): string {
  switch (String(block.type)) {
    case 'text':
      return String(block['text']);
    case 'thinking':
      return quoted(`Thinking: ${String(block['thinking'])}`);
    case 'tool_use': {
      const { name, input } = (block['resolved_action'] ?? block) as { name: string; input: unknown };
      return `Call of \`${name}\`:\n\n${fenced(JSON.stringify(input, null, 2), 'json')}`;
    }
    case 'tool_result': {
      const { content, is_error: isError } = block as { content?: unknown; is_error?: boolean };
      const text = typeof content === 'string' ? content : JSON.stringify(content ?? null, null, 2);
      return `${isError === true ? 'Error' : 'Result'}:\n\n${fenced(text, '')}`;
    }
    case 'reminder':
      return quoted(`${String(block['name'])}: ${String(block['content'])}`);
    default:
      return fenced(JSON.stringify(withoutBytes(block), null, 2), 'json');
  }
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

/** A fence that is longer than each in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function withoutBytes(block: Block): object {
  const source = block['source'] as { data?: unknown } | undefined;
  if (typeof source?.data !== 'string') return block;
  return { ...block, source: { ...source, data: `${source.data.length} characters of base64` } };
}
