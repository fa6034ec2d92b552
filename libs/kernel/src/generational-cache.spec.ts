import { GenerationalCache } from './generational-cache.js';

const max = 10;
const names = Array.from({ length: 40 }, (_, n) => `name-${n}`);
const known = (cache: GenerationalCache<number>) => names.filter((name) => cache.get(name) !== undefined);

describe('Recent', () => {
  it('keeps the newest half at least, and never more than it may', () => {
    for (let count = 0; count <= names.length; count += 1) {
      const cache = new GenerationalCache<number>(max);
      for (const [n, name] of names.slice(0, count).entries()) cache.set(name, n);
      const kept = names
        .slice(0, count)
        .reverse()
        .filter((name) => cache.get(name) !== undefined);
      expect(kept.length).toBeLessThanOrEqual(max);
      for (const name of names.slice(Math.max(0, count - max / 2), count)) expect(kept).toContain(name);
    }
  });

  it('keeps what is asked for again and again, however many others come', () => {
    const cache = new GenerationalCache<number>(max);
    cache.set('used', 1);
    for (let n = 0; n < 1000; n += 1) {
      cache.set(`other-${n}`, n);
      expect(cache.get('used')).toBe(1);
    }
  });

  it('gives the value that was set last, wherever an earlier one is still kept', () => {
    const cache = new GenerationalCache<number>(max);
    cache.set('name-0', 1);
    for (const name of names.slice(1, 6)) cache.set(name, 0);
    cache.set('name-0', 2);
    expect(cache.get('name-0')).toBe(2);
    cache.delete('name-0');
    expect(cache.get('name-0')).toBeUndefined();
  });

  it('forgets what it is told to, in both generations', () => {
    const cache = new GenerationalCache<number>(max);
    for (const [n, name] of names.slice(0, 8).entries()) cache.set(name, n);
    cache.deleteWhere((value) => value % 2 === 1);
    expect(known(cache)).toEqual(['name-0', 'name-2', 'name-4', 'name-6']);
    cache.clear();
    expect(known(cache)).toEqual([]);
  });

  it('weighs what it keeps: each generation as much as it may, and one more', () => {
    const weights = new GenerationalCache<number>(100, { weightMax: 20, weigh: (value) => value });
    for (const name of names) weights.set(name, 3);
    const kept = known(weights);
    expect(kept.length).toBeGreaterThanOrEqual(4);
    expect(kept.length).toBeLessThanOrEqual(8);
    expect(kept).toEqual(names.slice(-kept.length));
  });

  it('does not count what was deleted or set anew', () => {
    const weights = new GenerationalCache<number>(100, { weightMax: 20, weigh: (value) => value });
    weights.set('stays', 1);
    for (const name of names) {
      weights.set('same', 8);
      weights.set(name, 1);
      weights.delete(name);
    }
    weights.deleteWhere((value) => value === 8);
    weights.set('other', 9);
    weights.set('over', 1);
    expect(['stays', 'other', 'over'].map((name) => weights.get(name))).toEqual([1, 9, 1]);
  });

  it('keeps what is in use however many others come, and lets it go once it is not', () => {
    const used = new Set([1, 2]);
    const cache = new GenerationalCache<number>(max, null, (value) => used.has(value));
    cache.set('name-1', 1);
    cache.set('name-2', 2);
    for (let n = 3; n < 100; n += 1) cache.set(`other-${n}`, n);
    expect(cache.get('name-1')).toBe(1);
    used.clear();
    for (let n = 3; n < 100; n += 1) cache.set(`other-${n}`, n);
    expect(known(cache)).toEqual([]);
  });

  it('keeps of what is in use the value that was set last', () => {
    const cache = new GenerationalCache<number>(max, null, (value) => value < 3);
    cache.set('name-0', 1);
    for (const name of names.slice(1, 6)) cache.set(name, 9);
    cache.set('name-0', 2);
    for (let n = 3; n < 100; n += 1) cache.set(`other-${n}`, n);
    expect(cache.get('name-0')).toBe(2);
  });
});
