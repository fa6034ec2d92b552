import { GatheredWrites, putStep } from './gathered-writes.js';
import { UnsentWrites } from './unsent-writes.js';
import type { Job, Parameter, PutParameters, RunPart } from './views-messages.js';

const put = (key: string, revision: number, doc: string | null = `${key}@${revision}`): PutParameters => [
  'things@1',
  'org_1',
  key,
  revision,
  0,
  '[]',
  doc,
];

/** The part's jobs, each as its steps' keys and revisions, or the statement's text where it is no put. */
function jobsOf({ statements, jobs, parameters }: RunPart): string[][] {
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

const waiting = { resolve: () => undefined, reject: () => undefined };
const commit: Job = {
  steps: [['UPDATE checkpoints', ['2']], putStep(put('b', 5))],
  isAwaited: true,
  losses: 0,
  isBuilding: false,
};
const deletion: Job = { steps: [['DELETE FROM rows', []]], isAwaited: true, losses: null, isBuilding: false };

/** Puts the rows; gives for each whether a job was needed. */
function putAll(into: { put: GatheredWrites['put'] }, ...rows: PutParameters[]): boolean[] {
  return rows.map((row) => into.put(row, waiting));
}

describe('TP9: rows that are gathered', () => {
  it('are the newest of each key, in the place of the earliest, and tombstones too', () => {
    const gathered = new GatheredWrites();
    expect(putAll(gathered, put('a', 1), put('b', 1), put('c', 4))).toEqual([true, true, true]);
    expect(putAll(gathered, put('a', 3, null), put('b', 2), put('d', 1))).toEqual([false, false, true]);
    expect(jobsOf(gathered.part)).toEqual([['a@3'], ['b@2'], ['c@4'], ['d@1']]);
    expect(gathered.part.parameters.slice(0, 7)).toEqual(put('a', 3, null));
    expect([gathered.waiting.length, gathered.steps]).toEqual([4, 4]);
  });

  it('stay as they are when a lower or equal revision comes late', () => {
    const gathered = new GatheredWrites();
    expect(putAll(gathered, put('a', 3), put('a', 2), put('a', 3, 'another'))).toEqual([true, false, false]);
    expect(gathered.part.parameters).toEqual(put('a', 3));
  });

  it('tell a part of the scope from a part of the key', () => {
    const gathered = new GatheredWrites();
    const [a, b]: PutParameters[] = [
      ['things@1', 'org_1', 'ab', 1, 0, '[]', '{}'],
      ['things@1', 'org_1a', 'b', 1, 0, '[]', '{}'],
    ];
    expect(putAll(gathered, a!, b!)).toEqual([true, true]);
  });

  it('are counted by their texts, of which those that were replaced are none', () => {
    const gathered = new GatheredWrites();
    const empty = new GatheredWrites();
    putAll(gathered, put('a', 1, 'x'.repeat(1000)), put('a', 2, ''));
    putAll(empty, put('a', 2, ''));
    expect(gathered.characters).toBe(empty.characters);
  });
});

describe('TP9: what is not sent yet', () => {
  const sent = (unsent: UnsentWrites) => unsent.parts.flatMap(({ part }) => jobsOf(part));

  it('has no put behind a commit that rests on it, nor in one', () => {
    const unsent = new UnsentWrites();
    putAll(unsent, put('a', 1));
    unsent.add(commit, waiting, ['things@1']);
    expect(putAll(unsent, put('a', 2), put('b', 6))).toEqual([false, true]);
    expect(sent(unsent)).toEqual([['a@2'], ['b@6'], ['UPDATE checkpoints', 'b@5']]);
  });

  it('has no put before a step that deletes rows and came before it', () => {
    const unsent = new UnsentWrites();
    putAll(unsent, put('a', 1));
    unsent.add(deletion, waiting, []);
    unsent.separate();
    expect(putAll(unsent, put('a', 2), put('a', 3))).toEqual([true, false]);
    expect(sent(unsent)).toEqual([['a@1'], ['DELETE FROM rows'], ['a@3']]);
    expect(unsent.takePuts('things@1')?.steps).toBe(1);
    expect([sent(unsent), unsent.holds('things@1')]).toEqual([[['DELETE FROM rows'], ['a@3']], true]);
  });

  it('gives out the puts of one collection, and is counted without them', () => {
    const unsent = new UnsentWrites();
    putAll(unsent, put('a', 1), ['others@1', 'org_1', 'b', 1, 0, '[]', '{}']);
    expect([unsent.jobs, unsent.steps, unsent.holds('things@1')]).toEqual([2, 2, false]);
    expect(jobsOf(unsent.takePuts('things@1')!.part)).toEqual([['a@1']]);
    expect([unsent.takePuts('things@1'), unsent.jobs, unsent.steps]).toEqual([null, 1, 1]);
    expect(sent(unsent)).toEqual([['b@1']]);
  });
});
