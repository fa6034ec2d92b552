import type { Schema } from '@aos/client';

export type UsageEvent = Schema<'BillingUsageEvent'>;

/** Quantities by the counters of model calls, and what they cost. */
export interface UsageSum {
  input: number;
  output: number;
  cacheRead: number;
  cacheWritten: number;
  milliCredits: number;
}

export interface UsageGroup extends UsageSum {
  /** What the rows have in common: an id, a model; empty where they have none. */
  key: string;
}

type Counted = 'input' | 'output' | 'cacheRead' | 'cacheWritten';

const memberOfCounter: Record<string, Counted> = {
  'model.input_tokens': 'input',
  'model.output_tokens': 'output',
  'model.cache_read_input_tokens': 'cacheRead',
  'model.cache_creation_input_tokens': 'cacheWritten',
};

export const counters = Object.keys(memberOfCounter);

export function noUsage(): UsageSum {
  return { input: 0, output: 0, cacheRead: 0, cacheWritten: 0, milliCredits: 0 };
}

/** What a counter is in words; a counter that is not known by its own name. */
export function counterText(counter: string): string {
  const words: Record<Counted, string> = {
    input: 'input tokens',
    output: 'output tokens',
    cacheRead: 'tokens read from the cache',
    cacheWritten: 'tokens written to the cache',
  };
  const member = memberOfCounter[counter];
  return member === undefined ? counter : words[member];
}

/** A sum with one more quantity. */
export function withCounter(sum: UsageSum, counter: string, quantity: number, milliCredits: number): UsageSum {
  const member = memberOfCounter[counter];
  const next = { ...sum, milliCredits: sum.milliCredits + milliCredits };
  return member === undefined ? next : { ...next, [member]: next[member] + quantity };
}

/** The sums of rows by what they have in common, the largest first. */
export function groupedBy(rows: readonly UsageEvent[], keyOf: (row: UsageEvent) => string): UsageGroup[] {
  const sums = new Map<string, UsageSum>();
  for (const row of rows) {
    const key = keyOf(row);
    const before = sums.get(key) ?? noUsage();
    sums.set(key, withCounter(before, row.counter, row.raw_quantity, row.credit_cost_milli));
  }
  return [...sums].map(([key, sum]) => ({ key, ...sum })).sort((one, other) => tokensOf(other) - tokensOf(one));
}

export function tokensOf({ input, output, cacheRead, cacheWritten }: UsageSum): number {
  return input + output + cacheRead + cacheWritten;
}

/** The starts of the last days in the reader's zone, the oldest first; the last one is today's. */
export function daysUpTo(now: Date, count: number): Date[] {
  return Array.from(
    { length: count },
    (_, at) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - count + 1 + at),
  );
}

/** The sum of each day; rows before the first day are left out. */
export function sumsOfDays(rows: readonly UsageEvent[], days: readonly Date[]): UsageSum[] {
  const sums = days.map(noUsage);
  for (const { recorded_at, counter, raw_quantity, credit_cost_milli } of rows) {
    const at = Date.parse(recorded_at);
    const index = days.findLastIndex((day) => day.getTime() <= at);
    const before = sums[index];
    if (before !== undefined) sums[index] = withCounter(before, counter, raw_quantity, credit_cost_milli);
  }
  return sums;
}
