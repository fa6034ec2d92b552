import fc from 'fast-check';
import { momentOf, rfc3339 } from './ports/clock.js';

const mostMs = 8.64e15;

describe('rule G6: moments', () => {
  test('are RFC 3339 in UTC with milliseconds, whichever was written before', () => {
    const moment = fc.oneof(
      fc.integer({ min: 1_700_000_000_000, max: 1_700_000_003_000 }),
      fc.double({ min: -mostMs, max: mostMs, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(moment), (moments) => {
        for (const ms of moments) expect(rfc3339(ms)).toBe(new Date(ms).toISOString());
      }),
    );
  });

  test.each([Number.NaN, Infinity, mostMs + 1_000])('are none at %d, again and again', (ms) => {
    for (let time = 0; time < 2; time += 1) expect(() => rfc3339(ms)).toThrow(RangeError);
  });

  test('of one second ask for the calendar once', () => {
    rfc3339(0);
    const toISOString = jest.spyOn(Date.prototype, 'toISOString');
    for (let ms = 5_000; ms < 6_000; ms += 7) rfc3339(ms);
    expect(toISOString).toHaveBeenCalledTimes(1);
    toISOString.mockRestore();
  });

  test('are read where they can be written again', () => {
    const readAndWritten = (text: string) => {
      const ms = momentOf(text);
      return ms === null ? null : rfc3339(ms);
    };
    expect(readAndWritten('0000-01-01T00:00:00Z')).toBe('0000-01-01T00:00:00.000Z');
    expect(readAndWritten('9999-12-31T23:59:59.9999Z')).toBe('9999-12-31T23:59:59.999Z');
    for (const text of [
      '0000-01-01T00:00:00+00:01',
      '9999-12-31T23:59:59-00:01',
      '2016-12-31T23:59:60Z',
      '2024-02-29T00:00:00+02',
      'soon',
    ])
      expect([text, readAndWritten(text)]).toEqual([text, null]);
  });
});
