import { linearGrowthMax, timeGrowth } from './time-growth.js';

const compared = (rows: readonly number[]) => rows.filter((row, index) => rows.indexOf(row) === index).length;

describe('the growth of the time that work takes', () => {
  it('is below the bound for work of the size, and above it for work of its square', async () => {
    const rows = (size: number) => Array.from({ length: size }, (_none, index) => index);
    const linear = (size: number) => {
      const made = rows(size);
      return () => new Set(made).size;
    };
    const quadratic = (size: number) => {
      const made = rows(size);
      return () => compared(made);
    };
    expect(await timeGrowth(5_000, linear)).toBeLessThan(linearGrowthMax);
    expect(await timeGrowth(500, quadratic)).toBeGreaterThan(linearGrowthMax);
  });
});
