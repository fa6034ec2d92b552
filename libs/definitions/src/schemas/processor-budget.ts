import type { Worker } from 'node:worker_threads';

const firstLookMs = 40;
const looksApartMs = 10;

export interface ProcessorBudget {
  /** True once it is spent; false when the watch was cancelled before. Never rejects. */
  readonly isSpent: Promise<boolean>;
  cancel(): void;
}

/**
 * Watches what a thread works from now on.
 *
 * Takes    the thread, how many milliseconds of processor time it may take (up to 40 more, because what ends at once is
 *          not looked at), and how long it may take altogether: on a busy machine every check is slow, and the schema
 *          is not the cause.
 */
export function processorBudget(worker: Worker, budgetMs: number, patienceMs: number): ProcessorBudget {
  const startedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let settle: (isSpent: boolean) => void = () => undefined;
  const isSpent = new Promise<boolean>((resolve) => {
    settle = resolve;
  }).finally(() => {
    isOver = true;
  });
  const look = async (since: NodeJS.CpuUsage | undefined) => {
    const used = await worker.cpuUsage(since);
    const leftMs = since ? budgetMs - (used.user + used.system) / 1000 : budgetMs;
    const patience = startedAt + patienceMs - performance.now();
    if (leftMs <= 0 || patience <= 0) settle(true);
    else again(since ?? used, Math.max(looksApartMs, Math.min(leftMs, patience)));
  };
  const again = (since: NodeJS.CpuUsage | undefined, afterMs: number) => {
    if (isOver) return;
    timer = setTimeout(() => {
      look(since).catch(() => {
        settle(true);
      });
    }, afterMs); // a thread that is gone works no more
  };
  again(undefined, Math.min(firstLookMs, patienceMs));
  return {
    isSpent,
    cancel: () => {
      isOver = true;
      clearTimeout(timer);
      settle(false);
    },
  };
}
