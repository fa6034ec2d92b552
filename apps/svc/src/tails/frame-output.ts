import { stringify } from 'yaml';
import type { CommandContext } from '../context/command-context.js';
import { hasColours } from '../console/io.js';
import { painter, shown, shownOnLine, type Paint } from '../console/text.js';
import type { Frame } from '../connection/service.js';

type Data = Frame['data'];

/** Prints frames as they come: a line of JSON each, a YAML document each, or lines for people. */
export async function printFrames(
  { io, format }: CommandContext,
  frames: AsyncIterable<Frame>,
  lineOf: (data: Data, paint: Paint) => string | null = plainLine,
): Promise<void> {
  const paint = painter(hasColours(io.out, io.env));
  for await (const { data } of frames) {
    const text = textOf(data, format, (one) => lineOf(one, paint));
    if (text !== null) io.out.write(text);
  }
}

function textOf(data: Data, format: CommandContext['format'], lineOf: (data: Data) => string | null): string | null {
  if (format === 'yaml') return `---\n${stringify(data)}`;
  if (format !== 'table') return `${JSON.stringify(data)}\n`;
  const line = lineOf(data);
  return line === null ? null : `${line}\n`;
}

function plainLine(data: Data): string {
  return shown(JSON.stringify(data));
}

type Block = { type: string; text?: string; name?: string };

/** One frame of a session for people: rows that are final, turns, questions. Live pieces are left out. */
export function sessionLine(data: Data, paint: Paint): string | null {
  const { event_type: type, role, status, content, id, title } = data as Record<string, unknown>;
  if (type === 'message.upsert' && status !== 'streaming')
    return `${paint('bold', String(role))}: ${saidIn(content as Block[])}`;
  if (type === 'turn.upsert') return paint('dim', `turn ${String(id)} ${String(status)}`);
  if (type === 'interaction.upsert')
    return `${paint('yellow', 'question')} ${String(id)} ${String(status)}: ${shownOnLine(String(title))}`;
  return null;
}

function saidIn(blocks: readonly Block[]): string {
  return blocks
    .map(({ type, text, name }) =>
      text === undefined ? `[${type}${name === undefined ? '' : ` ${shownOnLine(name)}`}]` : shown(text),
    )
    .join('\n');
}

/** One source event for people. */
export function eventLine(data: Data, paint: Paint): string {
  const { event_type: type, source_kind: kind, source_id: id, meta } = data as Record<string, unknown>;
  const at = (meta as { occurred_at?: string } | undefined)?.occurred_at ?? '';
  return `${paint('dim', at)} ${paint('bold', shownOnLine(String(type)))} ${shownOnLine(`${String(kind)} ${String(id)}`)}`;
}
