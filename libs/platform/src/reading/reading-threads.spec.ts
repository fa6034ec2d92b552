import { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ManualClock } from '@aos/kernel/testing';
import { ReadingThreads, type Reader, type ReadingBounds } from './reading-threads.js';
import { WaitingReadings } from './waiting-readings.js';

interface Work {
  name: string;
  bytes: Uint8Array;
}
type Result = { read: string };

const bounds: ReadingBounds = {
  threads: 2,
  startMs: 1_000,
  readingMs: 5_000,
  megabytes: 16,
  waiting: { count: 4, bytes: 400 },
  waitingPerOrganization: { count: 3, bytes: 300 },
};
const couldNot = { failure: 'it could not be read' };
const stops = { failure: 'the service stops', isPassing: true };
const doesNotStart = { failure: 'the thread that reads it does not start', isPassing: true };
const tooMany = { failure: 'too many things wait to be read', isPassing: true };

/** Does what a test says; what it said before its end comes also after `terminate`, as from a thread. */
class PlayedThread extends EventEmitter {
  isTerminated = false;

  constructor(readonly work: Work) {
    super();
  }

  terminate(): Promise<number> {
    this.isTerminated = true;
    return Promise.resolve(1);
  }

  says(message: unknown): this {
    this.emit('message', message);
    return this;
  }

  ends(): void {
    this.emit('exit', 0);
  }
}

function played(started: (work: Work) => void = () => undefined) {
  const clock = new ManualClock();
  const threads: PlayedThread[] = [];
  const troubles: string[] = [];
  const start: Reader<Work>['start'] = ({ workerData }) => {
    started(workerData);
    const thread = new PlayedThread(workerData);
    threads.push(thread);
    return thread as unknown as Worker;
  };
  const onTrouble = ({ name }: Work, message: string) => void troubles.push(`${name}: ${message}`);
  const reading = new ReadingThreads<Work, Result>(clock, { things: 'things', bounds, start, onTrouble });
  return {
    clock,
    threads,
    troubles,
    reading,
    read: (name: string, orgId = 'org_1', size = 1) => reading.read(orgId, { name, bytes: new Uint8Array(size) }),
    names: () => threads.map(({ work }) => work.name),
    /** The thread that has started as so many before it. */
    thread: (index: number) => threads[index]!,
  };
}

describe('threads that read', () => {
  it('are at most so many at once, and those that wait take turns by organization', async () => {
    const { read, names, thread, clock } = played();
    const first = read('a1', 'org_a');
    for (const name of ['a2', 'a3', 'a4']) void read(name, 'org_a');
    void read('b1', 'org_b');
    expect(names()).toEqual(['a1', 'a2']);
    thread(0).says('ready').says({ read: 'a1' }).ends();
    expect(await first).toEqual({ read: 'a1' });
    thread(1).ends();
    expect(names()).toEqual(['a1', 'a2', 'a3', 'b1']);
    thread(2).ends();
    expect(names()).toEqual(['a1', 'a2', 'a3', 'b1', 'a4']);
    for (const index of [3, 4]) thread(index).ends();
    expect(clock.pendingTimers).toBe(0);
  });

  it('have their time from when they are ready; what did not start may be given again', async () => {
    const { read, thread, clock } = played();
    const [late, slow] = [read('late'), read('slow')];
    clock.advance(bounds.startMs - 1);
    thread(1).says('ready');
    clock.advance(1);
    expect([thread(0).isTerminated, thread(1).isTerminated]).toEqual([true, false]);
    thread(0).says('ready').ends();
    expect(await late).toEqual(doesNotStart);
    clock.advance(bounds.readingMs - 2);
    expect(thread(1).isTerminated).toBe(false);
    clock.advance(1);
    expect(thread(1).isTerminated).toBe(true);
    thread(1).ends();
    expect(await slow).toEqual({ failure: 'it takes longer than 5 s to read' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('that end without a result are no result: before they are ready it is passing, after that it is not', async () => {
    const { read, thread, troubles } = played();
    const [before, after] = [read('before'), read('after')];
    thread(0).emit('error', new Error('no module'));
    thread(0).ends();
    thread(1).says('ready').emit('error', new Error('boom'));
    thread(1).ends();
    expect([await before, await after]).toEqual([doesNotStart, couldNot]);
    expect(troubles).toEqual(['before: no module', 'after: boom']);
  });

  it('that the system does not give are passing failures, and the next piece of work has its thread', async () => {
    const { read, thread, names, troubles } = played(({ name }) => {
      if (name.startsWith('no')) throw new Error('EAGAIN');
    });
    const [yes, also, no, alsoNo, next] = ['yes', 'also', 'no', 'no, too', 'next'].map((name) => read(name));
    thread(0).says('ready').says({ read: 'yes' }).ends();
    expect(await Promise.all([yes, no, alsoNo])).toEqual([{ read: 'yes' }, doesNotStart, doesNotStart]);
    expect(names()).toEqual(['yes', 'also', 'next']);
    for (const index of [1, 2]) thread(index).ends();
    expect(await Promise.all([also, next])).toEqual([doesNotStart, doesNotStart]);
    expect(troubles).toEqual(['no: EAGAIN', 'no, too: EAGAIN']);
  });

  it('leave no more waiting than there is room for: by number and by bytes, of one organization and of all', async () => {
    const { read, reading } = played();
    const all = [
      ...['reads', 'reads too'].map((name) => read(name)),
      ...['1', '2', '3', '4'].map((name) => read(name, 'org_a')),
      ...['1', '2'].map((name) => read(name, 'org_b')),
    ];
    expect(await Promise.all([all[5], all[7]])).toEqual([tooMany, tooMany]);
    void reading.close();
    expect(await Promise.all([2, 3, 4, 6].map((index) => all[index]))).toEqual([stops, stops, stops, stops]);

    const large = played();
    for (const name of ['reads', 'reads too']) void large.read(name);
    void large.read('1', 'org_a', 200);
    expect(await large.read('2', 'org_a', 101)).toEqual(tooMany);
    void large.read('3', 'org_b', 200);
    expect(await large.read('4', 'org_b', 1)).toEqual(tooMany);
    await large.reading.close();
  });

  it('end with the service: what waits, what is read and what comes later may be given again', async () => {
    const { read, reading, thread, names } = played();
    const [one, done, waits] = [read('one'), read('done'), read('waits')];
    thread(0).says('ready');
    thread(1).says('ready').says({ read: 'done' });
    await reading.close();
    expect(await waits).toEqual(stops);
    for (const index of [0, 1]) {
      expect(thread(index).isTerminated).toBe(true);
      thread(index).ends();
    }
    expect([await one, await done]).toEqual([{ ...couldNot, isPassing: true }, { read: 'done' }]);
    expect(await read('later')).toEqual(stops);
    expect(names()).toEqual(['one', 'done']);
  });

  it('have so much memory, and nothing of the environment', async () => {
    const code = `const { parentPort, workerData } = require('node:worker_threads');
      parentPort.postMessage('ready');
      const kept = [];
      if (workerData.name === 'grows') for (;;) kept.push(new Array(1e5).fill(kept.length));
      parentPort.postMessage({ read: Object.keys(process.env).join() });`;
    const troubles: string[] = [];
    const reading = new ReadingThreads<Work, Result>(new ManualClock(), {
      things: 'things',
      bounds,
      start: (options) => new Worker(code, { ...options, eval: true }),
      onTrouble: (_work, message) => void troubles.push(message),
    });
    const [grows, beside] = ['grows', 'beside it'].map((name) =>
      reading.read('org_1', { name, bytes: new Uint8Array(1) }),
    );
    expect(await grows).toEqual({ failure: 'it takes over 16 MiB to read' });
    expect(await beside).toEqual({ read: '' });
    expect(troubles).toEqual([]);
    await reading.close();
  });
});

it('what is read or given up makes room again for what waits', () => {
  const waiting = new WaitingReadings({ count: 10, bytes: 64 }, { count: 10, bytes: 64 });
  const of = (bytes: number) => ({ orgId: 'org_a', work: { bytes: new Uint8Array(bytes) } });
  const [first, second] = [of(40), of(24)];
  expect([first, second, of(1)].map((each) => waiting.push(each))).toEqual([true, true, false]);
  expect([waiting.shift(), waiting.push(of(41)), waiting.push(of(40))]).toEqual([first, false, true]);
  expect(waiting.shift()).toBe(second);
});
