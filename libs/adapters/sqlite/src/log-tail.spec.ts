import fc from 'fast-check';
import { LogTail, TailEntry } from './log-tail.js';

const kept = 40;
const streams = ['session-a', 'session-b', 'agent-a'];

const stored = (id: string, type: string, data: string, meta = '{}') => ({
  ...{ id, type, data, meta },
  version: null,
  flags: 0,
});

/** A log and its tail: every append goes to both. */
class Pair {
  readonly tail = new LogTail(0, kept);
  readonly log = new Map<string, number[]>();
  private position = 0;

  append(stream: string, isIndexed = true): void {
    const revisions = this.log.get(stream) ?? [];
    this.log.set(stream, revisions);
    const revision = revisions.length;
    revisions.push(revision);
    this.position += 1;
    this.tail.push(
      new TailEntry(this.position, stream, revision, stored(`${stream}@${revision}`, 'Written', `{"n":${revision}}`)),
    );
    if (isIndexed) this.tail.indexed(this.position);
  }

  /** What the file would answer. */
  expected(stream: string, from: number | undefined, backwards: boolean, limit: number): number[] {
    const all = this.log.get(stream) ?? [];
    return backwards
      ? all
          .filter((revision) => revision <= (from ?? Infinity))
          .reverse()
          .slice(0, limit)
      : all.filter((revision) => revision >= (from ?? 0)).slice(0, limit);
  }
}

const appends = fc.array(fc.constantFrom(...streams), { maxLength: 120 });
const reads = fc.record({
  stream: fc.constantFrom(...streams),
  from: fc.option(fc.nat(60), { nil: undefined }),
  backwards: fc.boolean(),
  limit: fc.integer({ min: 1, max: 30 }),
});

describe('LogTail', () => {
  it('answers a read as the log does, or not at all', () => {
    fc.assert(
      fc.property(appends, fc.array(reads, { maxLength: 20 }), (written, asked) => {
        const pair = new Pair();
        for (const stream of written) pair.append(stream);
        for (const { stream, from, backwards, limit } of asked) {
          const answer = pair.tail.read(stream, { ...(from === undefined ? {} : { from }), backwards, limit });
          if (answer)
            expect(answer.map(({ revision }) => revision)).toEqual(pair.expected(stream, from, backwards, limit));
        }
      }),
    );
  });

  it('TP5: keeps what the file does not find by its stream, however much that is, and lets it go at once then', () => {
    const pair = new Pair();
    for (let n = 0; n < 3 * kept; n += 1) pair.append('session-a', false);
    expect(pair.tail.read('session-a', { limit: 1000 })).toHaveLength(3 * kept);
    expect(pair.tail.floor).toBe(0);
    pair.tail.indexed(kept);
    expect([pair.tail.floor, pair.tail.read('session-a', { limit: 1 })]).toEqual([kept, null]);
    pair.tail.indexed(3 * kept);
    expect(pair.tail.floor).toBe(2 * kept);
  });

  it('gives the part of a read that lies in it', () => {
    const pair = new Pair();
    for (let n = 0; n < 100; n += 1) pair.append('session-a');
    const part = (from: number | undefined, backwards: boolean, limit: number) =>
      pair.tail
        .part('session-a', { ...(from !== undefined && { from }), backwards, limit })
        .map(({ revision }) => revision);
    expect(part(undefined, false, 2)).toEqual([60, 61]);
    expect(part(98, false, 9)).toEqual([98, 99]);
    expect(part(100, false, 9)).toEqual([]);
    expect(part(undefined, true, 2)).toEqual([99, 98]);
    expect(part(61, true, 9)).toEqual([61, 60]);
    expect(part(59, true, 9)).toEqual([]);
    expect(pair.tail.part('session-b', { limit: 1 })).toEqual([]);
  });

  it('answers whatever lies wholly in it', () => {
    const pair = new Pair();
    for (let n = 0; n < 100; n += 1) pair.append('session-a');
    expect(pair.tail.read('session-a', { from: 100 - kept, limit: 1000 })?.length).toBe(kept);
    expect(pair.tail.read('session-a', { from: 100 - kept - 1, limit: 1000 })).toBeNull();
    expect(pair.tail.read('session-a', { backwards: true, limit: kept })?.length).toBe(kept);
    expect(pair.tail.read('session-a', { backwards: true, limit: kept + 1 })).toBeNull();
    expect(pair.tail.head('session-a')).toBe(99);
    expect(pair.tail.head('session-b')).toBeNull();
  });

  it('gives each event as it was written, in whatever order members are asked for', () => {
    const tail = new LogTail(0);
    tail.push(new TailEntry(7, 'session-a', 4, stored('1', 'Opened', '{"n":1}', '{"org_id":"a"}')));
    tail.push(new TailEntry(8, 'session-a', 5, stored('2', 'Written', '{"n":2}', '{"org_id":"a"}')));
    tail.push(new TailEntry(9, 'session-a', 6, stored('3', 'Written', '{"n":3}', '{"org_id":"b"}')));
    const read = tail.read('session-a', { backwards: true, limit: 3 }) ?? [];
    const members = () =>
      read.map(({ stream, revision, position, id, type, data, meta }) => [
        stream,
        revision,
        Number(position),
        id,
        type,
        data,
        meta,
      ]);
    const written = [
      ['session-a', 6, 9, '3', 'Written', { n: 3 }, { org_id: 'b' }],
      ['session-a', 5, 8, '2', 'Written', { n: 2 }, { org_id: 'a' }],
      ['session-a', 4, 7, '1', 'Opened', { n: 1 }, { org_id: 'a' }],
    ];
    expect(members()).toEqual(written);
    expect(read.map(({ meta }) => meta.org_id)).toEqual(['b', 'a', 'a']);
    expect([...read].reverse().map(({ data }) => data.n)).toEqual([1, 2, 3]);
    expect(members()).toEqual(written);
  });

  it('knows nothing more of a stream that left it or lost its beginning', () => {
    const pair = new Pair();
    pair.append('session-a');
    for (let n = 0; n < kept; n += 1) pair.append('session-b');
    expect(pair.tail.read('session-a', { from: 0, limit: 1 })).toBeNull();
    expect(pair.tail.head('session-a')).toBeNull();
    pair.tail.forget('session-b');
    pair.append('session-b');
    expect(pair.tail.read('session-b', { from: 0, limit: 1 })).toBeNull();
    expect(pair.tail.read('session-b', { backwards: true, limit: 1 })?.map(({ revision }) => revision)).toEqual([kept]);
  });
});
