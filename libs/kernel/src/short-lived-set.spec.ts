import fc from 'fast-check';
import { ShortLivedSet } from './short-lived-set.js';

describe('ShortLivedSet', () => {
  it('holds what was added and did not leave, whatever leaves when and how often', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(20))), (steps) => {
        const set = new ShortLivedSet<number>();
        const there = new Set<number>();
        const leaves: (() => void)[] = [];
        for (const step of steps) {
          if (step === null) {
            there.add(leaves.length);
            leaves.push(set.add(leaves.length));
          } else {
            there.delete(step);
            leaves[step]?.();
          }
          expect(set.values().sort((a, b) => a - b)).toEqual([...there]);
          expect(set.size).toBe(there.size);
        }
      }),
    );
  });
});
