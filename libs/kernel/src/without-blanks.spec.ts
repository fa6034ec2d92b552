import { withoutBlanks } from './without-blanks.js';

describe('a text without the blanks around it', () => {
  it.each([
    ['a', 'a'],
    [' \ta b\t ', 'a b'],
    ['\na\n', '\na\n'],
    [' \t', ''],
    ['', ''],
  ])('%j is %j', (text, bare) => {
    expect(withoutBlanks(text)).toBe(bare);
  });

  it('takes a moment, also for a long row of blanks inside', () => {
    const text = `a${' '.repeat(50_000)}b`;
    const began = performance.now();
    expect(withoutBlanks(text)).toBe(text);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
