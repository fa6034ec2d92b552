import { StoreUnavailable } from '@aos/kernel';
import { KnownStream } from './known-stream.js';

/** Work that ends when it is let go. */
function held() {
  let release: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { done, release };
}

describe('work on one stream', () => {
  it('is done alone, first come first served, also behind what failed', async () => {
    const stream = new KnownStream('counter-a');
    const order: string[] = [];
    const first = held();
    const run = (name: string, work: () => Promise<void>) =>
      stream.alone(async () => {
        order.push(`${name} begins`);
        await work();
        order.push(`${name} ends`);
      });
    const all = Promise.allSettled([
      run('one', () => first.done),
      run('two', () => Promise.reject(new Error('two fails'))),
      run('three', () => Promise.resolve()),
    ]);
    expect(stream.isInUse).toBe(true);
    first.release();
    expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(order).toEqual(['one begins', 'one ends', 'two begins', 'three begins', 'three ends']);
    expect(stream.isInUse).toBe(false);
  });

  it('waits with at most 512 others, and one more is turned away', async () => {
    const stream = new KnownStream('counter-a');
    const first = held();
    const all = [stream.alone(() => first.done), ...Array.from({ length: 512 }, () => stream.alone(async () => {}))];
    await expect(stream.alone(async () => {})).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(stream.shared(async () => {})).rejects.toBeInstanceOf(StoreUnavailable);
    first.release();
    await Promise.all(all);
    expect(await stream.shared(() => Promise.resolve('loaded'))).toBe('loaded');
  });
});
