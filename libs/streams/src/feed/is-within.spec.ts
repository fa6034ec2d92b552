import { ManualClock } from '@aos/kernel/testing';
import { isWithin } from './is-within.js';

describe('isWithin', () => {
  it('ends with the work, and leaves no timer behind that would hold what waited (ADR 56)', async () => {
    const clock = new ManualClock();
    expect(await isWithin(Promise.resolve(), 500, clock)).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends when the time is over', async () => {
    const clock = new ManualClock();
    const within = isWithin(new Promise(() => undefined), 500, clock);
    clock.advance(500);
    expect(await within).toBe(false);
  });

  it('rejects as the work does, and leaves no timer behind', async () => {
    const clock = new ManualClock();
    await expect(isWithin(Promise.reject(new Error('down')), 500, clock)).rejects.toThrow('down');
    expect(clock.pendingTimers).toBe(0);
  });
});
