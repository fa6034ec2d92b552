import cliProgress from 'cli-progress';
import type { Io } from './io.js';

const quietMs = 1_000;
const framesPerSecond = 5;

/**
 * Does the work, and shows how far it is on the terminal of standard error once it takes longer than a second.
 *
 * Takes    a label with the unit of its count, and the work, which says each new count.
 * Gives    what the work gives.
 */
export async function withProgress<T>(
  { error }: Io,
  label: string,
  work: (count: (done: number) => void) => Promise<T>,
): Promise<T> {
  if (error.isTTY !== true) return work(() => undefined);
  const bar = new cliProgress.SingleBar({
    stream: error,
    format: `${label}: {value}, {duration_formatted}`,
    clearOnComplete: true,
    hideCursor: true,
    fps: framesPerSecond,
  });
  let done = 0;
  let isShown = false;
  const timer = setTimeout(() => {
    isShown = true;
    bar.start(0, done);
  }, quietMs);
  try {
    return await work((count) => {
      done = count;
      if (isShown) bar.update(count);
    });
  } finally {
    clearTimeout(timer);
    if (isShown) bar.stop();
  }
}
