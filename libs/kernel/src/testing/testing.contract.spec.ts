import { clockContract } from '../ports/clock.contract.js';
import { idsContract } from '../ports/ids.contract.js';
import { CountingIds } from './counting-ids.js';
import { ManualClock } from './manual-clock.js';

clockContract('moved by hand', () => {
  const clock = new ManualClock();
  return {
    clock,
    pass: (ms) => {
      clock.advance(ms);
      return Promise.resolve();
    },
    jump: (ms) => {
      clock.jump(ms);
    },
    close: () => {
      expect(clock.pendingTimers).toBe(0);
    },
  };
});

idsContract('counting up', () => new CountingIds());
