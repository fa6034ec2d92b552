import { isLongerThan } from './is-longer-than.js';

describe('isLongerThan', () => {
  it.each([
    ['', 0, false],
    ['a', 0, true],
    ['abc', 3, false],
    ['abcd', 3, true],
    ['\u{1f600}'.repeat(3), 3, false],
    ['\u{1f600}'.repeat(4), 3, true],
    [`${'\u{1f600}'.repeat(3)}a`, 3, true],
    ['\ud800'.repeat(3), 3, false],
    ['\ud800'.repeat(4), 3, true],
  ])('of %j and %d is %s', (text, max, expected) => {
    expect(isLongerThan(text, max)).toBe(expected);
  });
});
