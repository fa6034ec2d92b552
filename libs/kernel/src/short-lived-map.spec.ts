import fc from 'fast-check';
import { ShortLivedMap } from './short-lived-map.js';

const names = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'toString', '0', '-1', '');

describe('ShortLivedMap', () => {
  it('holds what a map would, whatever the names', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(names, fc.option(fc.nat(9)))), (steps) => {
        const passing = new ShortLivedMap<number>();
        const map = new Map<string, number>();
        for (const [name, value] of steps) {
          if (value === null) {
            expect(passing.delete(name)).toBe(map.delete(name));
          } else {
            passing.set(name, value);
            map.set(name, value);
          }
          for (const [known] of steps) {
            expect(passing.get(known)).toBe(map.get(known));
            expect(passing.has(known)).toBe(map.has(known));
          }
          expect(passing.size).toBe(map.size);
          expect(new Map(passing.entries())).toEqual(map);
          expect(new Set(passing.names())).toEqual(new Set(map.keys()));
          expect(passing.values().sort()).toEqual([...map.values()].sort());
        }
      }),
    );
  });
});
