import { stringify } from 'yaml';
import { hasColours, tableWidthOf, type Io } from './io.js';
import { recordTable, rowsTable } from './tables.js';
import { painter } from './text.js';

export const outputFormats = ['table', 'json', 'yaml', 'ndjson'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** Takes what `--output` said. Gives the format: without it a table on a terminal, JSON elsewhere. */
export function formatFor(asked: OutputFormat | undefined, { out }: Io): OutputFormat {
  return asked ?? (out.isTTY === true ? 'table' : 'json');
}

/** Writes one value to standard output: a list as rows, text and bytes as they are, everything else as one record. */
export function print(value: unknown, format: OutputFormat, io: Io): void {
  if (value === undefined) return;
  if (value instanceof Uint8Array) io.out.write(value);
  else if (typeof value === 'string' && (format === 'table' || format === 'json')) io.out.write(withLineEnd(value));
  else io.out.write(textOf(value, format, io));
}

/** Text stays text, such as metrics and pages. */
function withLineEnd(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

function textOf(value: unknown, format: OutputFormat, io: Io): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(value, null, 2)}\n`;
    case 'yaml':
      return stringify(value);
    case 'ndjson':
      return (Array.isArray(value) ? value : [value]).map((row) => `${JSON.stringify(row)}\n`).join('');
    case 'table': {
      const style = { columns: tableWidthOf(io.out), paint: painter(hasColours(io.out, io.env)) };
      return Array.isArray(value) ? rowsTable(value, style) : recordTable(value, style);
    }
  }
}
