import { linearGrowthMax, timeGrowth } from './testing/time-growth.js';
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

  it('takes time by its length alone, also for a long row of blanks inside', async () => {
    const text = (blanks: number) => `a${' '.repeat(blanks)}b`;
    expect(withoutBlanks(text(50_000))).toBe(text(50_000));
    const growth = await timeGrowth(5_000, (size) => {
      const long = text(size);
      return () => withoutBlanks(long);
    });
    expect(growth).toBeLessThan(linearGrowthMax);
  });
});
