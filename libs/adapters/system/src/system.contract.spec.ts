import { clockContract, idsContract } from '@aos/kernel/contracts';
import { eventually } from '@aos/kernel/testing';
import { SystemClock } from './system-clock.js';
import { SystemIds } from './system-ids.js';

clockContract("the machine's", () => {
  const clock = new SystemClock();
  const { now } = Date;
  let offset = 0;
  const wall = jest.spyOn(Date, 'now').mockImplementation(() => now() + offset);
  return {
    clock,
    async pass(ms) {
      const until = performance.now() + ms;
      await eventually(`${ms} ms passing`, () => performance.now() >= until);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    },
    jump: (ms) => {
      offset += ms;
    },
    close: () => {
      wall.mockRestore();
    },
  };
});

idsContract('random', () => new SystemIds());
idsContract('random, on a clock that stands', () => new SystemIds(() => 1_750_000_000_000));
idsContract('random, on a clock that goes back', () => {
  let nowMs = 1_750_000_000_000;
  return new SystemIds(() => {
    nowMs -= 1;
    return nowMs;
  });
});
