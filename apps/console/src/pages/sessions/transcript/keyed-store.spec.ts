import { KeyedStore } from './keyed-store';

describe('a store of values by key', () => {
  it('calls the listeners of changed keys alone, once for each flush', () => {
    const store = new KeyedStore<number>();
    const called: string[] = [];
    for (const key of ['a', 'b']) store.subscribe(key, () => called.push(key));
    store.set('a', 1);
    store.set('a', 2);
    expect(called).toEqual([]);
    store.flush();
    store.flush();
    expect(called).toEqual(['a']);
    expect(store.get('a')).toBe(2);
  });

  it('takes a value that is the same for no change, and its end for one', () => {
    const store = new KeyedStore<number>();
    let calls = 0;
    store.set('a', 1);
    store.flush();
    const stop = store.subscribe('a', () => (calls += 1));
    store.set('a', 1);
    store.flush();
    expect(calls).toBe(0);
    store.delete('a');
    store.flush();
    expect(calls).toBe(1);
    stop();
    store.set('a', 3);
    store.flush();
    expect(calls).toBe(1);
  });
});
