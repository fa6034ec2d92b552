import { ManualClock, eventually } from '@aos/kernel/testing';
import { ActiveTime } from './active-time.js';

function start(budgetMs: number, spentMs = 0, sign: (ms: number) => Promise<void> = () => Promise.resolve()) {
  const clock = new ManualClock();
  const seen = { signs: [] as number[], ranOut: [] as number[] };
  const active = new ActiveTime(clock, {
    spentMs,
    budgetMs,
    ranOut: () => {
      seen.ranOut.push(active.spentMs);
    },
    sign: (ms) => {
      seen.signs.push(ms);
      return sign(ms);
    },
  });
  /** Time passes; the sign that it set off, if any, is given. */
  const after = async (ms: number) => {
    const before = seen.signs.length;
    clock.advance(ms);
    if (seen.signs.length > before)
      await eventually(
        'the next sign is planned',
        () => clock.nextTimerAt !== null && clock.nextTimerAt > clock.monotonic(),
      );
  };
  return { clock, active, seen, after };
}

test('L6: the budget ends with what earlier runs spent: three broken-off runs of a turn of ten minutes spend ten minutes, not thirty', async () => {
  let spentMs = 0;
  for (const aliveMs of [250_000, 250_000]) {
    const { seen, after, active } = start(600_000, spentMs);
    for (let ms = 0; ms < aliveMs; ms += 5_000) await after(5_000);
    expect(seen.ranOut).toEqual([]);
    active.close(); // its process dies: what counts is its last sign of life
    spentMs = seen.signs.at(-1) ?? 0;
  }
  expect(spentMs).toBeGreaterThanOrEqual(500_000 - 2 * 15_000);
  const { clock, seen } = start(600_000, spentMs);
  clock.advance(600_000 - spentMs);
  expect(seen.ranOut).toEqual([600_000]);
});

test.each([
  [4_000, 1_000],
  [600_000, 15_000],
  [86_400_000, 60_000],
])('with a budget of %d ms a sign is given every %d ms', async (budgetMs, everyMs) => {
  const { seen, after } = start(budgetMs);
  await after(everyMs - 1);
  expect(seen.signs).toEqual([]);
  await after(1);
  await after(everyMs);
  expect(seen.signs).toEqual([everyMs, 2 * everyMs]);
});

test('a sign that takes its time, or fails, holds up only the next one', async () => {
  const fail: (() => void)[] = [];
  const { clock, seen } = start(
    600_000,
    0,
    () =>
      new Promise((_, reject) => {
        fail.push(() => {
          reject(new Error('no'));
        });
      }),
  );
  clock.advance(60_000);
  expect(seen.signs).toEqual([15_000]);
  fail[0]?.();
  await eventually('the next sign is planned', () => clock.pendingTimers === 2);
  clock.advance(15_000);
  expect(seen.signs).toEqual([15_000, 75_000]);
});

test('closed, it gives no sign and never runs out', async () => {
  const { clock, active, seen, after } = start(20_000);
  await after(1_000);
  active.close();
  expect(clock.pendingTimers).toBe(0);
  clock.advance(60_000);
  expect(seen).toEqual({ signs: [1_000], ranOut: [] });
});

test('a budget that is spent already ends at once', () => {
  const { clock, seen } = start(1_000, 5_000);
  clock.advance(0);
  expect(seen.ranOut).toEqual([5_000]);
});
