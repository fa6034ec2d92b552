import type { Clock } from '@aos/kernel';

/** Whether the work ends within so many milliseconds; rejects as the work does. Keeps no timer longer than it waits. */
export async function isWithin(work: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  let timer: { cancel(): void } | undefined;
  const late = new Promise<false>((resolve) => {
    timer = clock.after(ms, () => {
      resolve(false);
    });
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    timer?.cancel();
  }
}
