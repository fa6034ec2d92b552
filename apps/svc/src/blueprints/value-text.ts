import { shown, type Paint } from '../console/text.js';

/** What a field holds before and after; absent where it holds nothing. */
export type FieldChange = { field: string; before?: unknown; after?: unknown };

const onOneLineMax = 72;
const linesMax = 20;
const lineMax = 160;
/** So much of what is the same stands before the place where two long lines part. */
const leadMax = 40;

/** A change on the line of its field, such as `: false -> true`; null where it needs lines of its own. */
export function valueOnLine({ before, after }: FieldChange): string | null {
  const words = [before, after].map((value) => (value === undefined ? 'nothing' : shown(JSON.stringify(value))));
  const text = `: ${words.join(' -> ')}`;
  const isText = [before, after].some((value) => typeof value === 'string' && value.includes('\n'));
  return isText || text.length > onOneLineMax ? null : text;
}

/**
 * The lines that go and those that come; what is the same before and behind them is left out. Lines of a text have a
 * number.
 */
export function valueLines({ before, after }: FieldChange, paint: Paint): string[] {
  const was = linesOf(before);
  const is = linesOf(after);
  let same = 0;
  while (same < was.length && same < is.length && was[same] === is[same]) same += 1;
  let tail = 0;
  const least = Math.min(was.length, is.length) - same;
  while (tail < least && was[was.length - 1 - tail] === is[is.length - 1 - tail]) tail += 1;
  const goes = was.slice(same, was.length - tail);
  const comes = is.slice(same, is.length - tail);
  return [
    ...(same === 0 || typeof after !== 'string' ? [] : [paint('dim', `from line ${same + 1}`)]),
    ...listed(goes, comes).map((line) => paint('red', `- ${line}`)),
    ...listed(comes, goes).map((line) => paint('green', `+ ${line}`)),
  ];
}

function linesOf(value: unknown): string[] {
  if (value === undefined) return [];
  return (typeof value === 'string' ? value : JSON.stringify(value, null, 2)).split('\n');
}

function listed(lines: readonly string[], others: readonly string[]): string[] {
  const found = lines.slice(0, linesMax).map((line, index) => shown(partOf(line, others[index] ?? '')));
  return lines.length > linesMax ? [...found, `… ${lines.length - linesMax} more lines`] : found;
}

/** The part of a long line at which it differs from the other one. */
function partOf(line: string, other: string): string {
  if (line.length <= lineMax) return line;
  let same = 0;
  while (same < other.length && line[same] === other[same]) same += 1;
  const from = Math.max(0, Math.min(same - leadMax, line.length - lineMax));
  const to = from + lineMax;
  return `${from === 0 ? '' : '…'}${line.slice(from, to)}${to < line.length ? '…' : ''}`;
}
