const factor = 30;
const measuredMicroseconds = 20_000;
const triesMax = 4;

/**
 * Between the 30 of work whose time grows with its size and the 900 of work whose time grows with the square of it.
 * Work that fills memory shows up to three times the 30: its large input is outside the caches, and is collected.
 */
export const linearGrowthMax = 180;

/**
 * How many times as long work takes for 30 times its size, in time of the thread on a processor: what other programs
 * take is not counted. What is not below `linearGrowthMax` is measured again, three times at most, and the least
 * counts.
 *
 * Takes    `prepare`: makes the input of a size, and gives the work on it that is measured.
 */
export async function timeGrowth(size: number, prepare: (size: number) => () => unknown): Promise<number> {
  const [small, large] = [prepare(size), prepare(size * factor)];
  await small();
  let least = Number.POSITIVE_INFINITY;
  for (let tried = 0; tried < triesMax && least >= linearGrowthMax; tried += 1) {
    const microseconds = await timed(small);
    least = Math.min(least, (await timed(large)) / microseconds);
  }
  return least;
}

/** Of one run, in microseconds: the mean of as many as take the time that can be measured. */
async function timed(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  for (let runs = 1; ; runs += 1) {
    await work();
    const { user, system } = process.threadCpuUsage(before);
    if (user + system >= measuredMicroseconds) return (user + system) / runs;
  }
}
