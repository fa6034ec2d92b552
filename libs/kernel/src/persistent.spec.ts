import fc from 'fast-check';
import { decodeState, encodeState } from './json.js';
import {
  appended,
  listAt,
  listLength,
  listValues,
  mapGet,
  nothing,
  replacedAt,
  withEntry,
  type PersistentList,
  type PersistentMap,
} from './persistent.js';
import { frozen } from './testing/frozen.js';

describe('a persistent list', () => {
  const changes = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ value: fc.integer() }) },
      fc.record({ at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), value: fc.integer() }),
    ),
    { maxLength: 400, size: 'max' },
  );

  it('is what an array is, and leaves the lists before as they were', () => {
    fc.assert(
      fc.property(changes, (steps) => {
        let list: PersistentList<number> = nothing;
        const model: number[] = [];
        const before: [PersistentList<number>, number[]][] = [];
        for (const step of steps) {
          before.push([list, [...model]]);
          if ('at' in step && model.length > 0) {
            const index = Math.floor(step.at * model.length);
            list = frozen(replacedAt(list, index, step.value));
            model[index] = step.value;
          } else {
            list = frozen(appended(list, step.value));
            model.push(step.value);
          }
          expect([listLength(list), listAt(list, model.length - 1)]).toEqual([model.length, model.at(-1)]);
        }
        for (const [older, values] of [...before.slice(-3), [list, model] as const]) {
          expect(listValues(older)).toEqual(values);
          expect(values.map((_value, index) => listAt(older, index))).toEqual(values);
        }
        expect(decodeState(encodeState(list))).toEqual(list);
      }),
    );
  });

  it('has nothing outside its length', () => {
    const list = appended(nothing as PersistentList<number>, 1);
    expect([listAt(list, -1), listAt(list, 1), listAt(list, 64), listAt(nothing, 0)]).toEqual(
      Array.from({ length: 4 }, () => undefined),
    );
    for (const index of [-1, 1, 64]) expect(() => replacedAt(list, index, 2)).toThrow(RangeError);
  });
});

describe('a persistent map', () => {
  it('is what a map is, in few parts, and leaves the maps before as they were', () => {
    const entries = fc.array(fc.tuple(fc.nat(200), fc.integer()), { maxLength: 300, size: 'max' });
    fc.assert(
      fc.property(entries, (steps) => {
        let map: PersistentMap<number, number> = nothing;
        const model = new Map<number, number>();
        let older: [PersistentMap<number, number>, Map<number, number>] = [map, new Map()];
        for (const [at, [key, value]] of steps.entries()) {
          if (at === Math.floor(steps.length / 2)) older = [map, new Map(model)];
          map = frozen(withEntry(map, key, value));
          model.set(key, value);
        }
        for (const [each, expected] of [older, [map, model] as const])
          for (let key = 0; key <= 200; key += 1) expect(mapGet(each, key)).toBe(expected.get(key));
        expect(map.length).toBeLessThanOrEqual(Math.ceil(Math.log2(steps.length + 1)));
        expect(decodeState(encodeState(map))).toEqual(map);
      }),
    );
  });
});
