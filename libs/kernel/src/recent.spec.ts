import { Recent } from './recent.js';

const MAX = 10;
const names = Array.from({ length: 40 }, (_, n) => `name-${n}`);
const known = (recent: Recent<number>) => names.filter((name) => recent.get(name) !== undefined);

describe('Recent', () => {
  it('keeps the newest half at least, and never more than it may', () => {
    for (let count = 0; count <= names.length; count += 1) {
      const recent = new Recent<number>(MAX);
      for (const [n, name] of names.slice(0, count).entries()) recent.set(name, n);
      const kept = names
        .slice(0, count)
        .reverse()
        .filter((name) => recent.get(name) !== undefined);
      expect(kept.length).toBeLessThanOrEqual(MAX);
      for (const name of names.slice(Math.max(0, count - MAX / 2), count)) expect(kept).toContain(name);
    }
  });

  it('keeps what is asked for again and again, however many others come', () => {
    const recent = new Recent<number>(MAX);
    recent.set('used', 1);
    for (let n = 0; n < 1000; n += 1) {
      recent.set(`other-${n}`, n);
      expect(recent.get('used')).toBe(1);
    }
  });

  it('gives the value that was set last, wherever an earlier one is still kept', () => {
    const recent = new Recent<number>(MAX);
    recent.set('name-0', 1);
    for (const name of names.slice(1, 6)) recent.set(name, 0);
    recent.set('name-0', 2);
    expect(recent.get('name-0')).toBe(2);
    recent.delete('name-0');
    expect(recent.get('name-0')).toBeUndefined();
  });

  it('forgets what it is told to, in both generations', () => {
    const recent = new Recent<number>(MAX);
    for (const [n, name] of names.slice(0, 8).entries()) recent.set(name, n);
    recent.deleteWhere((value) => value % 2 === 1);
    expect(known(recent)).toEqual(['name-0', 'name-2', 'name-4', 'name-6']);
    recent.clear();
    expect(known(recent)).toEqual([]);
  });

  it('weighs what it keeps: each generation as much as it may, and one more', () => {
    const weights = new Recent<number>(100, { weightMax: 20, weigh: (value) => value });
    for (const name of names) weights.set(name, 3);
    const kept = known(weights);
    expect(kept.length).toBeGreaterThanOrEqual(4);
    expect(kept.length).toBeLessThanOrEqual(8);
    expect(kept).toEqual(names.slice(-kept.length));
  });

  it('does not count what was deleted or set anew', () => {
    const weights = new Recent<number>(100, { weightMax: 20, weigh: (value) => value });
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
});
