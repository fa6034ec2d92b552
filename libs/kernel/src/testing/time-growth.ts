const factor = 10;
const samples = 5;
const triesMax = 4;

/** Between the 10 of work whose time grows with its size and the 100 of work whose time grows with the square of it. */
export const linearGrowthMax = 40;

/**
 * How many times as long work takes for ten times its size. What is not below `linearGrowthMax` is measured again,
 * three times at most, and the least counts: a machine may be slow at any moment.
 *
 * Takes    `prepare`: makes the input of a size, and gives the work on it that is measured.
 */
export async function timeGrowth(size: number, prepare: (size: number) => () => unknown): Promise<number> {
  const [small, large] = [prepare(size), prepare(size * factor)];
  let least = Number.POSITIVE_INFINITY;
  for (let tried = 0; tried < triesMax && least >= linearGrowthMax; tried += 1) {
    const smallMs = await quickestOf(small);
    least = Math.min(least, (await timed(large)) / smallMs);
  }
  return least;
}

async function quickestOf(work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let sample = 0; sample < samples; sample += 1) least = Math.min(least, await timed(work));
  return least;
}

async function timed(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
