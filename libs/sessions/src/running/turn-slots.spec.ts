import { FairQueue } from '@aos/kernel';
import { TurnQueue } from './turn-queue.js';
import type { TurnReference } from './turn-reference.js';
import { TurnSlots } from './turn-slots.js';
import type { TurnRunner } from './turn-runner.js';

const every = () => true;

describe('a fair line', () => {
  it('lets organizations take turns, each in its own order', () => {
    const queue = new FairQueue<string>(10, 20);
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.push(item.slice(0, 1), item);
    expect(Array.from({ length: 7 }, () => queue.shift(every))).toEqual([
      'a1',
      'b1',
      'c1',
      'a2',
      'b2',
      'a3',
      undefined,
    ]);
    expect(queue.size).toBe(0);
  });

  it('passes over those that may not go on', () => {
    const queue = new FairQueue<string>(10, 20);
    queue.push('a', 'a1');
    queue.push('b', 'b1');
    expect([queue.shift((org) => org !== 'a'), queue.shift((org) => org !== 'a'), queue.shift(every)]).toEqual([
      'b1',
      undefined,
      'a1',
    ]);
  });

  it('is full for one organization before it is for all', () => {
    const queue = new FairQueue<number>(2, 3);
    queue.push('a', 1);
    queue.push('a', 2);
    expect([queue.hasRoom('a'), queue.hasRoom('b')]).toEqual([false, true]);
    queue.push('b', 1);
    expect(queue.hasRoom('c')).toBe(false);
    queue.clear();
    expect([queue.hasRoom('a'), queue.size]).toEqual([true, 0]);
  });
});

describe('turns whose actions hang (invariant 28)', () => {
  const concurrency = 2;

  /** Turns that wait for an action which never answers, or are done when told; in the order in which they began. */
  function start() {
    const slots = new TurnSlots(concurrency);
    const began: string[] = [];
    const ends = new Map<string, () => void>();
    const run = ({ sessionId }: TurnReference): Promise<null> => {
      began.push(sessionId);
      const ended = new Promise<null>((resolve) => {
        ends.set(sessionId, () => {
          resolve(null);
        });
      });
      return sessionId.startsWith('hangs') ? slots.duringCall(sessionId, () => ended) : ended;
    };
    const turnQueue = new TurnQueue({ run, stop: () => undefined } as unknown as TurnRunner, slots);
    const admit = (orgId: string, sessionId: string) => {
      turnQueue.admitted(orgId, sessionId, `turn_${sessionId}`);
    };
    const finish = async (sessionId: string) => {
      ends.get(sessionId)?.();
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    };
    return { turnQueue, began, admit, finish };
  }

  it('give their places to others: the turns of another organization begin at once', async () => {
    const { turnQueue, began, admit } = start();
    for (let n = 0; n < 500; n += 1) admit('slow', `hangs${n}`);
    expect(began).toHaveLength(4 * concurrency); // its share
    expect(turnQueue.depth).toEqual({ running: 8, waiting: 492 });
    admit('other', 'works1');
    admit('other', 'works2');
    admit('other', 'works3');
    expect(began.slice(8)).toEqual(['works1', 'works2']);
    await Promise.resolve();
  });

  it('of as many organizations as there are hold up nobody, until the process has all it can hold', () => {
    const { began, admit } = start();
    for (const org of ['a', 'b', 'c']) for (let n = 0; n < 20; n += 1) admit(org, `hangs_${org}${n}`);
    expect(began).toHaveLength(3 * 4 * concurrency);
    admit('other', 'works');
    expect(began.at(-1)).toBe('works');
    for (let n = 0; n < 20; n += 1) admit(`more${n}`, `hangs_more${n}`);
    expect(began).toHaveLength(16 * concurrency);
  });

  it('working turns are bounded, and who waits begins in turn as they end', async () => {
    const { began, admit, finish } = start();
    for (const id of ['a1', 'a2', 'a3', 'a4']) admit('a', id);
    admit('b', 'b1');
    expect(began).toEqual(['a1', 'a2']);
    await finish('a1');
    await finish('a2');
    expect(began).toEqual(['a1', 'a2', 'a3', 'b1']);
    await finish('a3');
    expect(began.at(-1)).toBe('a4');
  });

  it('a turn whose call answered counts as working again', async () => {
    const slots = new TurnSlots(1);
    slots.take('a', 's1');
    let answer: () => void = () => undefined;
    const call = slots.duringCall(
      's1',
      () =>
        new Promise<void>((resolve) => {
          answer = resolve;
        }),
    );
    expect(slots.mayStart('b')).toBe(true);
    answer();
    await call;
    expect(slots.mayStart('b')).toBe(false);
    slots.leave('s1');
    expect(slots.mayStart('b')).toBe(true);
  });
});
