import { resolvesWithin } from './resolves-within.js';
import { ManualClock } from './testing/index.js';

describe('a bounded wait', () => {
  it('ends with what it waits for, and leaves no timer', async () => {
    const clock = new ManualClock();
    expect(await resolvesWithin(clock, 500, Promise.resolve('there'))).toBe(true);
    await expect(resolvesWithin(clock, 500, Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends after its time, and a later failure is no fault of its own', async () => {
    const clock = new ManualClock();
    let fail: (error: Error) => void = () => undefined;
    const work = new Promise<void>((_resolve, reject) => (fail = reject));
    const waiting = resolvesWithin(clock, 500, work);
    clock.advance(500);
    expect(await waiting).toBe(false);
    fail(new Error('too late'));
    await expect(work).rejects.toThrow('too late');
  });
});
