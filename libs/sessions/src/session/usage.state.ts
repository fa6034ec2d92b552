import type { Usage } from './session.events.js';

const counters = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'reasoning_tokens',
  'calls',
] as const;

/** Counters of a session over all its model calls. */
export type UsageTotals = Readonly<Required<Omit<Usage, 'calls' | 'reasoning_tokens'>>>;

export function addedTotals(totals: UsageTotals, usage: Usage): UsageTotals {
  return {
    input_tokens: totals.input_tokens + (usage.input_tokens ?? 0),
    output_tokens: totals.output_tokens + (usage.output_tokens ?? 0),
    cache_read_input_tokens: totals.cache_read_input_tokens + (usage.cache_read_input_tokens ?? 0),
    cache_creation_input_tokens: totals.cache_creation_input_tokens + (usage.cache_creation_input_tokens ?? 0),
  };
}

/** Adds two usages; counters that stay zero are left out. */
export function sumUsage(a: Usage, b: Usage): Usage {
  const sum: Usage = {};
  for (const counter of counters) {
    const value = (a[counter] ?? 0) + (b[counter] ?? 0);
    if (value > 0) sum[counter] = value;
  }
  return sum;
}
