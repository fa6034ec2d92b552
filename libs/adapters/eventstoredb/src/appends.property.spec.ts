import { RevisionConflict, StoreUnavailable } from '@aos/kernel';
import type { Appended, ExpectedRevision, NewEvent } from '@aos/kernel';
import fc from 'fast-check';
import { ServedStore, happened } from './testing/served-store.js';

const runs = 6;
const streams = 3;

type Trouble = 'lostAppends' | 'unansweredAppends' | 'brokenAppends' | 'cleanlyEndedAppends' | 'restart' | 'none';

const step = fc.record({
  stream: fc.integer({ min: 0, max: streams - 1 }),
  count: fc.integer({ min: 1, max: 3 }),
  /** 0: at the head; else an old append is repeated, or a wrong revision is tried. */
  aim: fc.constantFrom('head', 'head', 'head', 'repeat', 'behind', 'ahead'),
  trouble: fc.constantFrom<Trouble>(
    'none',
    'none',
    'lostAppends',
    'unansweredAppends',
    'brokenAppends',
    'cleanlyEndedAppends',
    'restart',
  ),
});

let served: ServedStore;
let run = 0;
beforeAll(async () => {
  served = await ServedStore.start();
});
afterAll(async () => {
  await served.stop();
});

/** As a caller does it: an unknown outcome is repeated identically. */
async function appendSurely(stream: string, expected: ExpectedRevision, events: NewEvent[]): Promise<Appended> {
  for (;;) {
    try {
      return await served.store.append(stream, expected, events);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }
}

test('whatever becomes of answers and servers, a stream holds exactly the appends that were acknowledged, once each', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      run += 1;
      const model = Array.from({ length: streams }, () => [] as NewEvent[]);
      const done = Array.from(
        { length: streams },
        () => [] as { expected: ExpectedRevision; events: NewEvent[]; answer: Appended }[],
      );
      for (const { stream, count, aim, trouble } of steps) {
        const name = `fuzz${run}-${stream}`;
        const past = model[stream]!;
        const head = past.length - 1;
        const at = (revision: number): ExpectedRevision => (revision < 0 ? 'none' : revision);
        if (trouble === 'restart') await served.restart();
        else if (trouble !== 'none') served.server.faults[trouble] = 1;
        const earlier = done[stream]![0];
        if (aim === 'repeat' && earlier) {
          expect(await appendSurely(name, earlier.expected, earlier.events)).toEqual(earlier.answer);
        } else if ((aim === 'behind' && head >= 0) || aim === 'ahead') {
          const wrong = aim === 'ahead' ? head + 5 : head - 1;
          await expect(appendSurely(name, at(wrong), [happened(0)])).rejects.toBeInstanceOf(RevisionConflict);
        } else {
          const events = Array.from({ length: count }, (_, n) => happened(n));
          const answer = await appendSurely(name, at(head), events);
          past.push(...events);
          done[stream]!.push({ expected: at(head), events, answer });
          expect(answer.revision).toBe(past.length - 1);
        }
        served.server.recover();
      }
      for (let stream = 0; stream < streams; stream += 1) {
        const stored = await served.store.read(`fuzz${run}-${stream}`, { limit: 100 });
        expect(stored.map(({ id }) => id)).toEqual(model[stream]!.map(({ id }) => id));
        for (const { answer } of done[stream]!) expect(stored[answer.revision]?.position).toBe(answer.position);
      }
    }),
    { numRuns: runs },
  );
});
