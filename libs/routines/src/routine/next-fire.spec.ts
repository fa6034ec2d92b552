import { Refusal } from '@aos/kernel';
import type { RoutineSchedule } from './routine.events.js';
import { dueNow, intervalMs, nextFire, requireSchedule } from './next-fire.js';

const at = (text: string) => Date.parse(text);
const table = (schedule: RoutineSchedule, timezone = 'UTC', anchor = '2026-01-01T00:00:00.000Z') => ({
  schedule,
  timezone,
  anchorMs: at(anchor),
});
function times(schedule: RoutineSchedule, timezone: string, after: string, count: number): (string | null)[] {
  const found: (string | null)[] = [];
  for (let from: number | null = at(after); from !== null && found.length < count;) {
    from = nextFire(table(schedule, timezone), from);
    found.push(from === null ? null : new Date(from).toISOString());
  }
  return found;
}

describe('when a schedule comes due', () => {
  it('reads cron as wall time of its zone, on both sides of a change of clocks', () => {
    expect(times({ cron: '0 9 * * 1-5' }, 'America/New_York', '2026-03-06T00:00:00Z', 2)).toEqual([
      '2026-03-06T14:00:00.000Z',
      '2026-03-09T13:00:00.000Z',
    ]);
  });

  it('runs what the clocks jump over at the end of the gap, once', () => {
    expect(times({ cron: '30 2 * * *' }, 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
  });

  it('runs a named hour that the clocks show twice once, and every hour each time', () => {
    expect(times({ cron: '30 2 * * *' }, 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
    expect(times({ cron: '0 * * * *' }, 'Europe/Berlin', '2026-10-24T23:30:00Z', 3)).toEqual([
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T01:00:00.000Z',
      '2026-10-25T02:00:00.000Z',
    ]);
  });

  it.each([
    // the clocks jump over 2:00 to 3:00
    ['0 2,14 * * *', 'Europe/Berlin', '2027-03-27T14:00:00Z', ['2027-03-28T01:00', '2027-03-28T12:00']],
    ['0,30 2 * * *', 'Europe/Berlin', '2027-03-27T12:00:00Z', ['2027-03-28T01:00', '2027-03-29T00:00']],
    [
      '30 1-3 * * *',
      'America/New_York',
      '2027-03-14T06:00:00Z',
      ['2027-03-14T06:30', '2027-03-14T07:00', '2027-03-14T07:30'],
    ],
    ['15 0,12 * * *', 'Africa/Cairo', '2027-04-29T12:00:00Z', ['2027-04-29T22:00', '2027-04-30T09:15']],
    ['*/20 2 * * *', 'Australia/Lord_Howe', '2027-10-02T12:00:00Z', ['2027-10-02T15:30', '2027-10-02T15:40']],
    // they show 2:00 to 3:00 twice
    ['0 2,14 * * *', 'Europe/Berlin', '2027-10-30T12:00:00Z', ['2027-10-31T00:00', '2027-10-31T13:00']],
    ['*/30 2 * * *', 'Europe/Berlin', '2027-10-31T00:00:00Z', ['2027-10-31T00:30', '2027-11-01T01:00']],
    ['30 1-3 * * *', 'America/New_York', '2027-11-07T05:00:00Z', ['2027-11-07T05:30', '2027-11-07T07:30']],
    ['45 1,2 * * *', 'Australia/Lord_Howe', '2027-04-03T14:00:00Z', ['2027-04-03T14:45', '2027-04-03T16:15']],
    ['30 1-3 * * *', 'Europe/Berlin', '2027-10-31T01:10:00Z', ['2027-10-31T02:30', '2027-11-01T00:30']],
    // every hour is meant, and each second one
    [
      '15 * * * *',
      'Europe/Berlin',
      '2027-10-30T23:30:00Z',
      ['2027-10-31T00:15', '2027-10-31T01:15', '2027-10-31T02:15'],
    ],
    [
      '15 0-23 * * *',
      'Europe/Berlin',
      '2027-10-30T23:30:00Z',
      ['2027-10-31T00:15', '2027-10-31T01:15', '2027-10-31T02:15'],
    ],
    ['15 */2 * * *', 'Europe/Berlin', '2027-03-28T00:00:00Z', ['2027-03-28T02:15', '2027-03-28T04:15']],
  ])('reads several named hours as each of them: %s in %s', (cron, zone, after, due) => {
    expect(times({ cron }, zone, after, due.length)).toEqual(due.map((minute) => `${minute}:00.000Z`));
  });

  it('counts intervals by elapsed time, from the start that is named or from where it was armed', () => {
    expect(times({ interval: '24h' }, 'Europe/Berlin', '2026-03-27T12:00:00Z', 2)).toEqual([
      '2026-03-28T00:00:00.000Z',
      '2026-03-29T00:00:00.000Z',
    ]);
    expect(times({ interval: '1h30m', starts_at: '2026-01-02T00:10:00Z' }, 'UTC', '2026-01-01T00:00:00Z', 2)).toEqual([
      '2026-01-02T00:10:00.000Z',
      '2026-01-02T01:40:00.000Z',
    ]);
  });

  it('begins at starts_at and ends at ends_at, both of them included', () => {
    const schedule = { cron: '0 0 * * *', starts_at: '2026-02-01T00:00:00Z', ends_at: '2026-02-02T00:00:00Z' };
    expect(times(schedule, 'UTC', '2026-01-01T00:00:00Z', 5)).toEqual([
      '2026-02-01T00:00:00.000Z',
      '2026-02-02T00:00:00.000Z',
      null,
    ]);
  });

  it('fires at a moment once', () => {
    expect(times({ at: '2026-05-05T05:05:05+02:00' }, 'UTC', '2026-01-01T00:00:00Z', 3)).toEqual([
      '2026-05-05T03:05:05.000Z',
      null,
    ]);
  });

  it('after a downtime runs the newest due time, and tells what was missed, up to a bound', () => {
    const hourly = table({ cron: '0 * * * *' });
    expect(dueNow(hourly, at('2026-01-01T01:00:00Z'), at('2026-01-01T01:00:00Z'))).toEqual({
      dueMs: at('2026-01-01T01:00:00Z'),
      missedMs: [],
      nextMs: at('2026-01-01T02:00:00Z'),
    });
    expect(dueNow(hourly, at('2026-01-01T01:00:00Z'), at('2026-01-01T03:10:00Z'))).toEqual({
      dueMs: at('2026-01-01T03:00:00Z'),
      missedMs: [at('2026-01-01T01:00:00Z'), at('2026-01-01T02:00:00Z')],
      nextMs: at('2026-01-01T04:00:00Z'),
    });
    const year = dueNow(table({ cron: '* * * * *' }), at('2026-01-01T01:00:00Z'), at('2027-01-01T00:00:30Z'));
    expect([year.dueMs, year.missedMs.length]).toEqual([at('2027-01-01T00:00:00Z'), 20]);
    expect(dueNow(table({ interval: '1s' }), at('2026-01-01T00:00:01Z'), at('2027-01-01T00:00:00.500Z')).dueMs).toBe(
      at('2027-01-01T00:00:00Z'),
    );
    const yearly = dueNow(table({ cron: '0 0 29 2 *' }), at('2024-02-29T00:00:00Z'), at('2033-01-01T00:00:00Z'));
    expect([yearly.dueMs, yearly.missedMs, yearly.nextMs]).toEqual([
      at('2032-02-29T00:00:00Z'),
      [at('2024-02-29T00:00:00Z'), at('2028-02-29T00:00:00Z')],
      at('2036-02-29T00:00:00Z'),
    ]);
  });

  it('makes the format of a zone once', () => {
    const made = jest.spyOn(Intl, 'DateTimeFormat');
    try {
      times({ cron: '0 2,14 * * *' }, 'Asia/Kathmandu', '2026-01-01T00:00:00Z', 20);
      expect(made.mock.calls.filter(([, options]) => options?.timeZone === 'Asia/Kathmandu')).toHaveLength(1);
    } finally {
      made.mockRestore();
    }
  });

  it('reads durations', () => {
    expect(['24h', '1d', '1h30m', '90s', '', 'h', '1.5h', '10ms', '-1h'].map(intervalMs)).toEqual([
      86_400_000,
      86_400_000,
      5_400_000,
      90_000,
      null,
      null,
      null,
      null,
      null,
    ]);
  });
});

describe('what no calendar knows', () => {
  it.each([
    [{ interval: 'soon' }, 'UTC', 'invalid_interval'],
    [{ interval: '0s' }, 'UTC', 'interval_out_of_range'],
    [{ interval: '400d' }, 'UTC', 'interval_out_of_range'],
    [{ cron: '* * * * * *' }, 'UTC', 'invalid_cron'],
    [{ cron: '61 * * * *' }, 'UTC', 'invalid_cron'],
    [{ cron: '@daily' }, 'UTC', 'invalid_cron'],
    [{ cron: `${'0-59,'.repeat(200)}0 * * * *` }, 'UTC', 'invalid_cron'],
    [{ cron: '0 0 30 2 *' }, 'UTC', 'never_due'],
    [{ at: '2025-01-01T00:00:00Z' }, 'UTC', 'never_due'],
    [{ cron: '* * * * *' }, 'Mars/Base', 'unknown_timezone'],
    [{ interval: '1h', starts_at: '2016-12-31T23:59:60Z' }, 'UTC', 'invalid_time'],
    [{ interval: '1h', ends_at: '2026-01-01T00:30:00Z' }, 'UTC', 'never_due'],
  ] as [RoutineSchedule, string, string][])('refuses %j in %s', (schedule, zone, reason) => {
    expect.assertions(1);
    try {
      requireSchedule(table(schedule, zone), at('2026-01-01T00:00:00Z'));
    } catch (error) {
      expect((error as Refusal).details).toMatchObject({ argument: 'schedule', reason });
    }
  });
});
