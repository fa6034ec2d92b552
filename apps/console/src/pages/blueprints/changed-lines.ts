export interface ChangedLines {
  /** Number of the first line that differs; null where the value is no text. */
  from: number | null;
  goes: string[];
  comes: string[];
}

/** The lines of a value that go, and those that come; what is the same before and behind them is left out. */
export function changedLines(before: unknown, after: unknown): ChangedLines {
  const was = linesOf(before);
  const is = linesOf(after);
  let same = 0;
  while (same < was.length && same < is.length && was[same] === is[same]) same += 1;
  let tail = 0;
  const least = Math.min(was.length, is.length) - same;
  while (tail < least && was[was.length - 1 - tail] === is[is.length - 1 - tail]) tail += 1;
  return {
    from: typeof after === 'string' ? same + 1 : null,
    goes: was.slice(same, was.length - tail),
    comes: is.slice(same, is.length - tail),
  };
}

function linesOf(value: unknown): string[] {
  if (value === undefined) return [];
  return (typeof value === 'string' ? value : JSON.stringify(value, null, 2)).split('\n');
}
