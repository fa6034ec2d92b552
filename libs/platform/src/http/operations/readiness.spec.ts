import { ManualClock } from '@aos/kernel/testing';
import { Readiness, sharedCheck } from './readiness.js';

const lastsMs = 2_000;
let clock: ManualClock;
let readiness: Readiness;
let asked: number;
let answers: (() => Promise<string | null>)[];

beforeEach(() => {
  clock = new ManualClock();
  readiness = new Readiness();
  asked = 0;
  answers = [];
  const store = {
    name: 'store',
    check: () => {
      asked += 1;
      return (answers.shift() ?? (() => Promise.resolve(null)))();
    },
  };
  readiness.register(sharedCheck(store, lastsMs, clock));
});

describe('a store whose answer is shared', () => {
  it('is asked once by all who want to know within the time that its answer lasts', async () => {
    for (let times = 0; times < 12; times += 1) {
      expect(await readiness.faults()).toEqual({});
      clock.advance(lastsMs / 6);
    }
    expect(asked).toBe(2);
  });

  it('is found away when its answer has lasted', async () => {
    expect(await readiness.faults()).toEqual({});
    answers = [() => Promise.resolve('gone')];
    clock.advance(lastsMs);
    expect(await readiness.faults()).toEqual({ store: 'gone' });
  });

  it('is asked again each time while it is away', async () => {
    answers = [() => Promise.resolve('gone'), () => Promise.reject(new RangeError('no'))];
    expect(await readiness.faults()).toEqual({ store: 'gone' });
    expect(await readiness.faults()).toEqual({ store: 'RangeError' });
    expect(await readiness.faults()).toEqual({});
    expect(asked).toBe(3);
  });

  it('is asked once by those who ask at the same time', async () => {
    let answer: (fault: string | null) => void = () => undefined;
    answers = [() => new Promise((resolve) => (answer = resolve))];
    const both = [readiness.faults(), readiness.faults()];
    answer('gone');
    expect(await Promise.all(both)).toEqual([{ store: 'gone' }, { store: 'gone' }]);
    expect(asked).toBe(1);
  });
});
