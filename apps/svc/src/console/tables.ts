import Table from 'cli-table3';
import { shownOnLine, type Paint } from './text.js';

type Style = { columns: number; paint: Paint };

/** Members that tell rows apart, the most telling ones first; the others of a row are in its other formats. */
const telling = [
  'id',
  'name',
  'session_key',
  'title',
  'key',
  'event_type',
  'check',
  'ok',
  'status',
  'kind',
  'role',
  'org_role',
  'model',
  'type',
  'action',
  'data',
  'content',
  'message',
  'fix',
  'permission',
  'resource_type',
  'resource_id',
  'source_kind',
  'source_id',
  'agent_id',
  'principal_id',
  'role_id',
  'created_at',
  'expires_at',
  'occurred_at',
  'at',
];
const columnsMax = 7;
const cellMax = 48;
const cellMin = 8;
const gap = 2;

/** Takes rows of a list; gives as many columns as the window has room for, the first one whole, the last one cut. */
export function rowsTable(rows: readonly unknown[], { columns, paint }: Style): string {
  if (rows.length === 0) return `${paint('dim', 'Nothing here.')}\n`;
  const records = rows.map(recordOf);
  const wanted = columnsFor(records);
  const cells = records.map((record) => wanted.map((name) => cellOf(record[name])));
  const widths = wanted.map((name, column) =>
    cells.reduce((w, row) => Math.max(w, row[column]?.length ?? 0), name.length),
  );
  const room = roomFor(widths, columns);
  const table = bare(room.map((width, column) => paint('bold', cut((wanted[column] ?? '').toUpperCase(), width))));
  table.push(...cells.map((row) => room.map((width, column) => cut(row[column] ?? '', width))));
  return linesOf(table);
}

/** Takes one record; gives a line for each of its members. */
export function recordTable(value: unknown, { columns, paint }: Style): string {
  if (typeof value !== 'object' || value === null) return `${shownOnLine(String(value))}\n`;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  const nameWidth = Math.max(0, ...entries.map(([name]) => name.length));
  const room = Math.max(cellMax, columns - nameWidth - gap);
  const table = bare();
  table.push(...entries.map(([name, member]) => [paint('bold', name), cellOf(member, room)]));
  return linesOf(table);
}

/** Columns without lines between them, as wide as what stands in them. */
function bare(head?: string[]): Table.Table {
  const none = Object.fromEntries(
    ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) => [
      [side, ''],
      [`${side}-mid`, ''],
      [`${side}-left`, ''],
      [`${side}-right`, ''],
    ]),
  );
  return new Table({
    ...(head ? { head } : {}),
    chars: { ...none, middle: ' '.repeat(gap) },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
}

function linesOf(table: Table.Table): string {
  const lines = table.toString().split('\n');
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

function recordOf(row: unknown): Record<string, unknown> {
  return typeof row === 'object' && row !== null ? { ...row } : { value: row };
}

function columnsFor(records: readonly Record<string, unknown>[]): string[] {
  const present = new Set(records.flatMap((record) => Object.keys(record)));
  const known = telling.filter((name) => present.has(name) && records.some((record) => cellOf(record[name]) !== ''));
  const found = known.length > 0 ? known : [...present];
  return found.slice(0, columnsMax);
}

/** The widths of the columns that are shown: those that fit from the left, then one cut to the rest of the window. */
function roomFor(widths: readonly number[], columns: number): number[] {
  const shown: number[] = [];
  let left = columns;
  for (const width of widths) {
    const room = shown.length === 0 ? width : Math.min(width, left - gap);
    if (room < Math.min(width, cellMin)) break;
    left -= shown.length === 0 ? room : room + gap;
    shown.push(room);
    if (room < width) break;
  }
  return shown;
}

function cellOf(value: unknown, max = cellMax): string {
  if (value === undefined || value === null) return '';
  const text = shownOnLine(typeof value === 'string' ? value : JSON.stringify(value));
  return cut(text, max);
}

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}
