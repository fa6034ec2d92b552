import { GatheredWrites, putStep } from './gathered-writes.js';
import type { Parameter, PutParameters, RunMessage } from './views-messages.js';

const put = (key: string, revision: number, doc: string | null = `${key}@${revision}`): PutParameters => [
  'things@1',
  'org_1',
  key,
  revision,
  0,
  '[]',
  doc,
];

/** The message's jobs, each as its steps' keys and revisions, or the statement's text where it is no put. */
function jobsOf({ statements, jobs, parameters }: RunMessage): string[][] {
  const all: string[][] = [];
  let [at, parameter] = [0, 0];
  while (at < jobs.length) {
    const count = jobs[at]!;
    const steps: string[] = [];
    for (at += 4; steps.length < count; at += 2) {
      const given: Parameter[] = parameters.slice(parameter, parameter + jobs[at + 1]!);
      parameter += given.length;
      steps.push(given.length === 7 ? `${String(given[2])}@${String(given[3])}` : statements[jobs[at]!]!);
    }
    all.push(steps);
  }
  return all;
}

describe('TP9: rows that are gathered', () => {
  it('are the newest of each key, in the place of the earliest, and tombstones too', () => {
    const gathered = new GatheredWrites();
    expect(gathered.put([put('a', 1), put('b', 1)])).toBe(true);
    expect(gathered.put([put('c', 4)])).toBe(true);
    expect(gathered.put([put('a', 3, null)])).toBe(false);
    expect(gathered.put([put('b', 2), put('d', 1)])).toBe(true);
    expect(jobsOf(gathered.message)).toEqual([['a@3', 'b@2'], ['c@4'], ['d@1']]);
    expect(gathered.message.parameters.slice(0, 7)).toEqual(put('a', 3, null));
    expect([gathered.jobs, gathered.steps]).toEqual([3, 4]);
  });

  it('stay as they are when a lower or equal revision comes late', () => {
    const gathered = new GatheredWrites();
    gathered.put([put('a', 3)]);
    expect([gathered.put([put('a', 2)]), gathered.put([put('a', 3, 'another')])]).toEqual([false, false]);
    expect(gathered.message.parameters).toEqual(put('a', 3));
  });

  it('tell a part of the scope from a part of the key', () => {
    const gathered = new GatheredWrites();
    const [a, b]: PutParameters[] = [
      ['things@1', 'org_1', 'ab', 1, 0, '[]', '{}'],
      ['things@1', 'org_1a', 'b', 1, 0, '[]', '{}'],
    ];
    expect([gathered.put([a!]), gathered.put([b!])]).toEqual([true, true]);
  });

  it('are never put behind a commit that rests on them, nor into one', () => {
    const gathered = new GatheredWrites();
    gathered.put([put('a', 1)]);
    const commit: [string, Parameter[]] = ['UPDATE checkpoints', ['2']];
    gathered.add({ steps: [commit, putStep(put('b', 5))], isAwaited: true, losses: 0, isBuilding: false });
    expect([gathered.put([put('a', 2)]), gathered.put([put('b', 6)])]).toEqual([false, true]);
    expect(jobsOf(gathered.message)).toEqual([['a@2'], ['UPDATE checkpoints', 'b@5'], ['b@6']]);
  });

  it('take no place before a step that deletes rows', () => {
    const gathered = new GatheredWrites();
    gathered.put([put('a', 1)]);
    gathered.add({ steps: [['DELETE FROM rows', []]], isAwaited: true, losses: null, isBuilding: false });
    gathered.separate();
    expect(gathered.put([put('a', 2)])).toBe(true);
    expect(jobsOf(gathered.message)).toEqual([['a@1'], ['DELETE FROM rows'], ['a@2']]);
  });

  it('are counted by their texts, of which those that were replaced are none', () => {
    const gathered = new GatheredWrites();
    const empty = new GatheredWrites();
    gathered.put([put('a', 1, 'x'.repeat(1000))]);
    gathered.put([put('a', 2, '')]);
    empty.put([put('a', 2, '')]);
    expect(gathered.characters).toBe(empty.characters);
  });
});
