import { daysUpTo, groupedBy, noUsage, sumsOfDays, tokensOf, withCounter, type UsageEvent } from './usage-sums';

const row = (part: Partial<UsageEvent>): UsageEvent =>
  ({
    counter: 'model.input_tokens',
    raw_quantity: 1,
    credit_cost_milli: 0,
    model: 'm',
    recorded_at: '2026-11-27T12:00:00.000Z',
    ...part,
  }) as UsageEvent;

describe('sums of usage', () => {
  it('count each counter by itself, and an unknown one only in the cost', () => {
    let sum = noUsage();
    for (const counter of [
      'model.input_tokens',
      'model.output_tokens',
      'model.cache_read_input_tokens',
      'model.cache_creation_input_tokens',
      'action.calls',
    ])
      sum = withCounter(sum, counter, 10, 3);
    expect(sum).toEqual({ input: 10, output: 10, cacheRead: 10, cacheWritten: 10, milliCredits: 15 });
    expect(tokensOf(sum)).toBe(40);
  });

  it('are grouped, the largest first', () => {
    const rows = [
      row({ model: 'small', raw_quantity: 5 }),
      row({ model: 'large', raw_quantity: 50 }),
      row({ model: 'small', counter: 'model.output_tokens', raw_quantity: 7 }),
    ];
    const groups = groupedBy(rows, ({ model }) => model);
    expect(groups.map(({ key, input, output }) => [key, input, output])).toEqual([
      ['large', 50, 0],
      ['small', 5, 7],
    ]);
  });

  it('of days begin at midnight of the reader, over the end of a month too', () => {
    const days = daysUpTo(new Date(2026, 10, 2, 15, 30), 3);
    expect(days).toEqual([new Date(2026, 9, 31), new Date(2026, 10, 1), new Date(2026, 10, 2)]);
    const at = (date: Date) => date.toISOString();
    const sums = sumsOfDays(
      [
        row({ recorded_at: at(new Date(2026, 9, 30, 23, 59)), raw_quantity: 100 }),
        row({ recorded_at: at(new Date(2026, 9, 31)), raw_quantity: 1 }),
        row({ recorded_at: at(new Date(2026, 10, 1, 23, 59, 59)), raw_quantity: 2 }),
        row({ recorded_at: at(new Date(2026, 10, 2, 0, 0)), raw_quantity: 4 }),
      ],
      days,
    );
    expect(sums.map(({ input }) => input)).toEqual([1, 2, 4]);
  });
});
