import { StoreUnavailable } from '@aos/kernel';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { recordUntilTaken } from './record-until-taken.js';

function start(outcomes: (Error | string)[]) {
  const clock = new ManualClock();
  const stop = new AbortController();
  const seen = { tries: 0 };
  const recorded = recordUntilTaken(
    async () => {
      const outcome = outcomes[Math.min(seen.tries, outcomes.length - 1)];
      seen.tries += 1;
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    clock,
    stop.signal,
  );
  /** Lets one more try begin, a second later. */
  const again = async () => {
    await eventually('the next try is armed', () => clock.nextTimerAt !== null);
    clock.advance(1000);
  };
  return { clock, stop, seen, recorded, again };
}

const away = () => new StoreUnavailable('away');

test('a result is recorded again each second until the log takes it', async () => {
  const { clock, seen, recorded, again } = start([away(), away(), 'taken']);
  await again();
  await again();
  expect(await recorded).toBe('taken');
  expect([seen.tries, clock.pendingTimers]).toEqual([3, 0]);
});

test('a refusal is not recorded again', async () => {
  const { seen, recorded } = start([new TypeError('not to be recorded')]);
  await expect(recorded).rejects.toThrow('not to be recorded');
  expect(seen.tries).toBe(1);
});

test('a process that goes down tries no more', async () => {
  const { stop, seen, recorded, again } = start([away()]);
  await again();
  stop.abort();
  await expect(recorded).rejects.toThrow(StoreUnavailable);
  expect(seen.tries).toBe(2);
});

test('a log that never answers is given up after 300 tries', async () => {
  const { clock, seen, recorded, again } = start([away()]);
  await eventually('the first pause', () => clock.nextTimerAt !== null);
  const slept = jest.spyOn(clock, 'sleep').mockResolvedValue();
  await again();
  await expect(recorded).rejects.toThrow(StoreUnavailable);
  expect([seen.tries, slept.mock.calls.length]).toEqual([300, 298]);
});
