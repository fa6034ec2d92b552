import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { ManualClock } from '@aos/kernel/testing';
import { ReadingProcesses, type ReadingBounds } from './reading-processes.js';
import { WaitingReadings } from './waiting-readings.js';

interface Work {
  name: string;
  bytes: Uint8Array;
}
type Result = { read: string };

const bounds: ReadingBounds = {
  processes: 2,
  startMs: 1_000,
  readingMs: 5_000,
  megabytes: 16,
  waiting: { count: 4, bytes: 400 },
  waitingPerOrganization: { count: 3, bytes: 300 },
};
const couldNot = { failure: 'it could not be read' };
const stops = { failure: 'the service stops', isPassing: true };
const doesNotStart = { failure: 'the process that reads it does not start', isPassing: true };
const tooMany = { failure: 'too many things wait to be read', isPassing: true };

/** Gives what it may do beside reading what it is sent. */
const grower = `import { spawnSync } from 'node:child_process';
  import { readFileSync, writeFileSync } from 'node:fs';
  import { Worker } from 'node:worker_threads';
  const tries = {
    environment: () => { if (Object.keys(process.env).length === 0) throw new Error('none'); },
    file: () => readFileSync(import.meta.dirname + '/../file'),
    write: () => writeFileSync(import.meta.filename + '.new', ''),
    process: () => spawnSync(process.execPath, ['-v']),
    thread: () => new Worker('', { eval: true }),
  };
  const may = (act) => { try { act(); return true; } catch { return false; } };
  export function read({ name }) {
    const kept = [];
    if (name === 'grows') for (;;) kept.push(new Array(1e5).fill(kept.length));
    if (name === 'throws') throw new Error('of its own');
    return { read: Object.keys(tries).filter((each) => may(tries[each])).join() || 'nothing' };
  }`;

/** Does what a test says; what it said before its end comes also after `kill`, as from a process. */
class PlayedProcess extends EventEmitter {
  readonly pid = 1;
  readonly stderr = new PassThrough();
  isKilled = false;
  work: Work | null = null;

  send(work: Work): boolean {
    this.work = work;
    return true;
  }

  kill(): boolean {
    this.isKilled = true;
    return true;
  }

  says(message: unknown): this {
    this.emit('message', message);
    return this;
  }

  writes(text: string): this {
    this.stderr.emit('data', text);
    return this;
  }

  ends(code: number | null = 0, signal: string | null = null): void {
    this.emit('close', code, signal);
  }
}

function played(started: () => void = () => undefined) {
  const clock = new ManualClock();
  const processes: PlayedProcess[] = [];
  const troubles: string[] = [];
  const start = () => {
    started();
    const child = new PlayedProcess();
    processes.push(child);
    return child as unknown as ChildProcess;
  };
  const onTrouble = ({ name }: Work, message: string) => void troubles.push(`${name}: ${message}`);
  const code = { caller: __filename, file: 'none' };
  const reading = new ReadingProcesses<Work, Result>(clock, { things: 'things', code, bounds, onTrouble }, start);
  return {
    clock,
    processes,
    troubles,
    reading,
    read: (name: string, orgId = 'org_1', size = 1) => reading.read(orgId, { name, bytes: new Uint8Array(size) }),
    names: () => processes.map(({ work }) => work?.name),
    /** The process that has started as so many before it. */
    process: (index: number) => processes[index]!,
  };
}

describe('processes that read', () => {
  it('are at most so many at once, and those that wait take turns by organization', async () => {
    const { read, names, process, clock } = played();
    const first = read('a1', 'org_a');
    for (const name of ['a2', 'a3', 'a4']) void read(name, 'org_a');
    void read('b1', 'org_b');
    expect(names()).toEqual(['a1', 'a2']);
    process(0).says('ready').says({ read: 'a1' }).ends();
    expect(await first).toEqual({ read: 'a1' });
    process(1).ends();
    expect(names()).toEqual(['a1', 'a2', 'a3', 'b1']);
    process(2).ends();
    expect(names()).toEqual(['a1', 'a2', 'a3', 'b1', 'a4']);
    for (const index of [3, 4]) process(index).ends();
    expect(clock.pendingTimers).toBe(0);
  });

  it('have their time from when they are ready; what did not start may be given again', async () => {
    const { read, process, clock } = played();
    const [late, slow] = [read('late'), read('slow')];
    clock.advance(bounds.startMs - 1);
    process(1).says('ready');
    clock.advance(1);
    expect([process(0).isKilled, process(1).isKilled]).toEqual([true, false]);
    process(0).says('ready').ends();
    expect(await late).toEqual(doesNotStart);
    clock.advance(bounds.readingMs - 2);
    expect(process(1).isKilled).toBe(false);
    clock.advance(1);
    expect(process(1).isKilled).toBe(true);
    process(1).ends();
    expect(await slow).toEqual({ failure: 'it takes longer than 5 s to read' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('that end without a result are no result: before they are ready it is passing, after that it is not', async () => {
    const { read, process, troubles } = played();
    const [before, after] = [read('before'), read('after')];
    process(0).writes('no module').ends(1);
    process(1).says('ready').ends(null, 'SIGSEGV');
    expect([await before, await after]).toEqual([doesNotStart, couldNot]);
    expect(troubles).toEqual(['before: no module', 'after: ends with SIGSEGV']);
  });

  it('that the system does not give are passing failures, and the next piece of work has its process', async () => {
    let asked = 0;
    const { read, process, names, troubles } = played(() => {
      asked += 1;
      if (asked === 3 || asked === 4) throw new Error('EAGAIN');
    });
    const [yes, also, no, alsoNo, next] = ['yes', 'also', 'no', 'no, too', 'next'].map((name) => read(name));
    process(0).says('ready').says({ read: 'yes' }).ends();
    expect(await Promise.all([yes, no, alsoNo])).toEqual([{ read: 'yes' }, doesNotStart, doesNotStart]);
    expect(names()).toEqual(['yes', 'also', 'next']);
    for (const index of [1, 2]) process(index).says('ready').says({ read: 'too' }).ends();
    expect(await Promise.all([also, next])).toEqual([{ read: 'too' }, { read: 'too' }]);
    expect(troubles).toEqual(['no: EAGAIN', 'no, too: EAGAIN']);
  });

  it('leave no more waiting than there is room for: by number and by bytes, of one organization and of all', async () => {
    const { read, reading, process } = played();
    const all = [
      ...['reads', 'reads too'].map((name) => read(name)),
      ...['1', '2', '3', '4'].map((name) => read(name, 'org_a')),
      ...['1', '2'].map((name) => read(name, 'org_b')),
    ];
    expect(await Promise.all([all[5], all[7]])).toEqual([tooMany, tooMany]);
    const closed = reading.close();
    expect(await Promise.all([2, 3, 4, 6].map((index) => all[index]))).toEqual([stops, stops, stops, stops]);
    for (const index of [0, 1]) process(index).ends();
    await closed;

    const large = played();
    for (const name of ['reads', 'reads too']) void large.read(name);
    void large.read('1', 'org_a', 200);
    expect(await large.read('2', 'org_a', 101)).toEqual(tooMany);
    void large.read('3', 'org_b', 200);
    expect(await large.read('4', 'org_b', 1)).toEqual(tooMany);
    for (const index of [0, 1]) large.process(index).ends();
  });

  it('end with the service: what waits, what is read and what comes later may be given again', async () => {
    const { read, reading, process, names } = played();
    const [one, done, waits] = [read('one'), read('done'), read('waits')];
    process(0).says('ready');
    process(1).says('ready').says({ read: 'done' });
    const closed = reading.close();
    expect(await waits).toEqual(stops);
    for (const index of [0, 1]) {
      expect(process(index).isKilled).toBe(true);
      process(index).ends();
    }
    await closed;
    expect([await one, await done]).toEqual([{ ...couldNot, isPassing: true }, { read: 'done' }]);
    expect(await read('later')).toEqual(stops);
    expect(names()).toEqual(['one', 'done']);
  });

  it('have so much memory, and neither the environment nor leave to read a file, to write, to start a process or a thread', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reading-'));
    writeFileSync(join(folder, 'file'), 'kept from it');
    mkdirSync(join(folder, 'code'));
    writeFileSync(join(folder, 'code', 'read.ts'), grower);
    const troubles: string[] = [];
    const reading = new ReadingProcesses<Work, Result>(new ManualClock(), {
      things: 'things',
      code: { caller: join(folder, 'code', 'caller.ts'), file: 'read' },
      bounds,
      onTrouble: (_work, message) => void troubles.push(message),
    });
    const read = (name: string) => reading.read('org_1', { name, bytes: new Uint8Array(1) });
    const all = Promise.all(['grows', 'beside it', 'grows', 'after it'].map(read));
    const grown = { failure: 'it takes over 16 MiB to read' };
    expect(await all).toEqual([grown, { read: 'nothing' }, grown, { read: 'nothing' }]);
    expect(troubles).toEqual([]);
    expect(await read('throws')).toEqual(couldNot);
    expect(troubles.join()).toContain('Error: of its own');
    await reading.close();
    rmSync(folder, { recursive: true });
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
