import { StreamCache, type Folded } from './stream-cache.js';

const folded = (revision: number): Folded<string> => ({ state: 'state', revision, snapshotRevision: -1 });

describe('StreamCache', () => {
  it('keeps at most so many, the newest', () => {
    const cache = new StreamCache(10);
    for (let n = 0; n < 25; n += 1) cache.set(`stream-${n}`, folded(n));
    for (let n = 0; n < 15; n += 1) expect(cache.get(`stream-${n}`)).toBeUndefined();
    for (let n = 15; n < 25; n += 1) expect(cache.get(`stream-${n}`)?.revision).toBe(n);
  });

  it('keeps what is used again and again, however many others come', () => {
    const cache = new StreamCache(10);
    cache.set('stream-used', folded(0));
    for (let n = 0; n < 1000; n += 1) {
      cache.set(`stream-${n}`, folded(n));
      expect(cache.get('stream-used')).toBeDefined();
      cache.set('stream-used', folded(n));
    }
    expect(cache.get('stream-used')?.revision).toBe(999);
  });

  it('forgets what it is told to', () => {
    const cache = new StreamCache(10);
    cache.set('stream-a', folded(0));
    cache.delete('stream-a');
    expect(cache.get('stream-a')).toBeUndefined();
  });
});
