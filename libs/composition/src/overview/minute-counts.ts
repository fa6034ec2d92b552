/** Minutes that are kept, the present one among them. */
export const minutesKept = 60;
export const minuteMs = 60_000;
/** Spans of time: up to here a millisecond each, then each longer by 6 %, so that a value is known within 5 %. */
const exactMs = 32;
const growth = 1.06;

/** What ended and was answered in one minute. `spans`: how many turns took about so long, by number of the span. */
export type Minute = { turns: number; failed: number; input: number; output: number; spans: Record<string, number> };
/** Minutes by their number since 1970. */
export type Minutes = Record<string, Minute>;

/** The minute of a time in milliseconds. */
export function minuteOf(ms: number): number {
  return Math.floor(ms / minuteMs);
}

/** Takes milliseconds; gives the number of the span that they are in. */
export function spanOf(ms: number): number {
  return ms < exactMs ? Math.floor(ms) : exactMs + Math.floor(Math.log(ms / exactMs) / Math.log(growth));
}

/** Takes the number of a span; gives the milliseconds in its middle. */
function middleOf(span: number): number {
  return span < exactMs ? span : Math.round(exactMs * growth ** (span - exactMs + 0.5));
}

/** What so large a part of the turns took at most; null when there is none. */
export function quantile(spans: Readonly<Record<string, number>>, part: number): number | null {
  const sorted = Object.entries(spans)
    .map(([span, count]) => ({ span: Number(span), count }))
    .sort((one, other) => one.span - other.span);
  const total = sorted.reduce((sum, { count }) => sum + count, 0);
  let seen = 0;
  for (const { span, count } of sorted) {
    seen += count;
    if (seen >= total * part) return middleOf(span);
  }
  return null;
}

/** The sum of what several processes counted in one minute. */
export function sumOf(minutes: readonly Minute[]): Minute {
  const sum: Minute = { turns: 0, failed: 0, input: 0, output: 0, spans: {} };
  for (const { turns, failed, input, output, spans } of minutes) {
    sum.turns += turns;
    sum.failed += failed;
    sum.input += input;
    sum.output += output;
    for (const [span, count] of Object.entries(spans)) sum.spans[span] = (sum.spans[span] ?? 0) + count;
  }
  return sum;
}
