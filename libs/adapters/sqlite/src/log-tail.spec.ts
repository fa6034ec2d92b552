import fc from 'fast-check';
import { LogTail, TailEntry } from './log-tail.js';

const kept = 40;
const streams = ['session-a', 'session-b', 'agent-a'];

/** A log and its tail: every append goes to both. */
class Pair {
  readonly tail = new LogTail(0, kept);
  readonly log = new Map<string, number[]>();
  private position = 0;

  append(stream: string): void {
    const revisions = this.log.get(stream) ?? [];
    this.log.set(stream, revisions);
    const revision = revisions.length;
    revisions.push(revision);
    this.tail.push(
      new TailEntry(
        (this.position += 1),
        stream,
        revision,
        `${stream}@${revision}`,
        'Written',
        `{"n":${revision}}`,
        '{}',
      ),
    );
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
    tail.push(new TailEntry(7, 'session-a', 4, '1', 'Opened', '{"n":1}', '{"org_id":"a"}'));
    tail.push(new TailEntry(8, 'session-a', 5, '2', 'Written', '{"n":2}', '{"org_id":"a"}'));
    tail.push(new TailEntry(9, 'session-a', 6, '3', 'Written', '{"n":3}', '{"org_id":"b"}'));
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
