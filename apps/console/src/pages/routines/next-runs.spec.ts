import { durationMs, nextRuns } from './next-runs';

const at = (text: string): number => Date.parse(text);
const shown = (times: Date[]): string[] => times.map((time) => time.toISOString().slice(0, 16));

describe('the next runs of a schedule', () => {
  it('follow the wall clock of its zone, over the change of summer time', () => {
    const schedule = { cron: '0 7 * * *', timezone: 'Europe/Berlin' };
    expect(shown(nextRuns(schedule, at('2026-10-23T12:00:00Z'), 3))).toEqual([
      '2026-10-24T05:00',
      '2026-10-25T06:00',
      '2026-10-26T06:00',
    ]);
  });

  it('are counted from the next due time for an interval that runs', () => {
    const due = at('2026-01-01T10:00:00Z');
    const runs = nextRuns({ interval: '90m' }, at('2026-01-01T09:00:00Z'), 2, due);
    expect(shown(runs)).toEqual(['2026-01-01T10:00', '2026-01-01T11:30']);
  });

  it('are counted from now for an interval that does not run yet, and from its start where it names one', () => {
    const now = at('2026-01-01T09:00:00Z');
    expect(shown(nextRuns({ interval: '1d' }, now, 1))).toEqual(['2026-01-02T09:00']);
    const later = { interval: '1d', starts_at: '2026-01-05T08:00:00Z' };
    expect(shown(nextRuns(later, now, 2))).toEqual(['2026-01-05T08:00', '2026-01-06T08:00']);
  });

  it('end with the schedule, and with the number of runs that it names', () => {
    const now = at('2026-01-01T09:00:00Z');
    const ending = { interval: '1h', ends_at: '2026-01-01T11:00:00Z' };
    expect(shown(nextRuns(ending, now, 5))).toEqual(['2026-01-01T10:00', '2026-01-01T11:00']);
    expect(nextRuns({ interval: '1h', max_occurrences: 1 }, now, 5)).toHaveLength(1);
  });

  it('are one for a single time, and none once it has passed', () => {
    const once = { at: '2026-01-01T10:00:00Z' };
    expect(shown(nextRuns(once, at('2026-01-01T09:00:00Z'), 5))).toEqual(['2026-01-01T10:00']);
    expect(nextRuns(once, at('2026-01-01T10:00:00Z'), 5)).toEqual([]);
  });

  it.each([
    { cron: '* * *' },
    { cron: '99 * * * *' },
    { cron: '0 7 * * *', timezone: 'Mars/Base' },
    { interval: 'soon' },
    { interval: '0s' },
    { at: 'soon' },
  ])('are none for what cannot be read: %j', (schedule) => {
    expect(nextRuns(schedule, at('2026-01-01T09:00:00Z'), 3)).toEqual([]);
  });

  it.each([
    ['24h', 86_400_000],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
    ['', null],
    ['1w', null],
  ])('read %s', (text, ms) => {
    expect(durationMs(text)).toBe(ms);
  });
});
