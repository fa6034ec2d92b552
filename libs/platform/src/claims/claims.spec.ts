import { StoreUnavailable } from '@aos/kernel';
import type { Claimable, ClaimStanding } from './claimable.js';
import { claim, holderOf, release } from './claims.js';

type Standing = ClaimStanding<string, { revision: number }>;

/** A claim that is found as each of these in turn, the last one for ever. */
function found(
  ...standings: [Standing, ...Standing[]]
): Claimable<string, { revision: number }> & { looks: () => number } {
  let looks = 0;
  const standing = () => {
    looks += 1;
    return Promise.resolve(standings[Math.min(looks, standings.length) - 1] ?? standings[0]);
  };
  return { what: 'name: n', standing, looks: () => looks };
}

const free = (revision: number): Standing => ({ status: 'free', revision });
const taken: Standing = { status: 'taken', holder: 'a' };

describe('a claim (rule R43)', () => {
  it('has the holder of a taken one, and none of a free one', async () => {
    expect(await holderOf(found(taken))).toBe('a');
    expect(await holderOf(found(free(3)))).toBeNull();
  });

  it('that is unfinished is carried out and looked at again', async () => {
    const done: string[] = [];
    const finish = async () => done.push('finished');
    expect(await holderOf(found({ status: 'unfinished', finish }, taken))).toBe('a');
    expect(done).toEqual(['finished']);
  });

  it('is written on what was found, and judged anew when that has moved', async () => {
    const written: number[] = [];
    const write = ({ revision }: { revision: number }) => {
      written.push(revision);
      return Promise.resolve(revision === 5);
    };
    expect(await claim(found(free(4), free(5)), write)).toBeNull();
    expect(written).toEqual([4, 5]);
    expect(await claim(found(free(4), taken), write)).toBe('a');
  });

  it('that changes hands without end is given up after 16 looks', async () => {
    const endless = found(free(1));
    await expect(claim(endless, () => Promise.resolve(false))).rejects.toThrow(
      new StoreUnavailable('too many concurrent changes of this name: n'),
    );
    expect(endless.looks()).toBe(16);
  });

  it('whose release fails stays, and only a store that is away is no fault', async () => {
    const left: string[] = [];
    const leave = (error: Error) => left.push(error.message);
    await release(() => Promise.reject(new StoreUnavailable('away')), leave);
    await expect(release(() => Promise.reject(new Error('a fault')), leave)).rejects.toThrow('a fault');
    expect(left).toEqual(['away']);
  });
});
