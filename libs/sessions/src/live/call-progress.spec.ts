import type { JsonObject } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { CallProgress } from './call-progress.js';

function start() {
  const clock = new ManualClock();
  const shown: (JsonObject | null)[] = [];
  return {
    clock,
    shown,
    progress: new CallProgress(clock, (one) => {
      shown.push(one);
    }),
  };
}

describe('rule TE80: progress of a call', () => {
  test('is shown at most 4 times a second, always the newest', () => {
    const { clock, shown, progress } = start();
    for (let ms = 0; ms < 1000; ms += 1) {
      progress.report({ ms });
      clock.advance(1);
    }
    expect(shown).toEqual([{ ms: 0 }, { ms: 249 }, { ms: 499 }, { ms: 749 }, { ms: 999 }]);
    clock.advance(10_000);
    expect(shown).toHaveLength(5);
    expect(clock.pendingTimers).toBe(0);
  });

  test('over 4 KiB is dropped', () => {
    const { shown, progress } = start();
    progress.report({ text: 'x'.repeat(4096) });
    progress.report({ text: 'x'.repeat(4096 - '{"text":""}'.length) });
    expect(shown).toHaveLength(1);
  });

  test('ends with null, if anything was shown; nothing comes after', () => {
    const { clock, shown, progress } = start();
    progress.report({ a: 1 });
    progress.report({ a: 2 });
    progress.end();
    progress.report({ a: 3 });
    clock.advance(1000);
    expect(shown).toEqual([{ a: 1 }, null]);
    expect(clock.pendingTimers).toBe(0);
    const silent = start();
    silent.progress.end();
    expect(silent.shown).toEqual([]);
  });
});
