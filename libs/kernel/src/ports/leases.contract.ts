import { eventually, uniqueName } from '../testing/eventually.js';
import type { Leases } from './leases.js';

const DEADLINE_MS = 30_000;
const LONG_MS = 60_000;
const SHORT_MS = 40;

/** The Leases port's suite. Takes how an adapter is opened, on a real clock; every test uses names of its own. */
export function leasesContract(name: string, open: () => Promise<{ leases: Leases; close(): Promise<void> }>): void {
  describe(`Leases: ${name}`, () => {
    let opened: { leases: Leases; close(): Promise<void> };
    const leases = () => opened.leases;
    beforeAll(async () => {
      opened = await open();
    }, DEADLINE_MS);
    afterAll(async () => {
      await opened.close();
    }, DEADLINE_MS);

    test(
      'one owner holds it; the same owner may take it again; others may not',
      async () => {
        const turn = uniqueName('turn_');
        const taken = await Promise.all(['a', 'b', 'c', 'd'].map((owner) => leases().acquire(turn, owner, LONG_MS)));
        expect(taken.filter(Boolean)).toHaveLength(1);
        const owner = ['a', 'b', 'c', 'd'][taken.indexOf(true)]!;
        expect(await leases().holders([uniqueName('none'), turn])).toEqual([null, owner]);
        expect(await leases().acquire(turn, owner, LONG_MS)).toBe(true);
        expect(await leases().acquire(turn, 'other', LONG_MS)).toBe(false);
      },
      DEADLINE_MS,
    );

    test(
      'renewing puts back what went missing, and fails when somebody else holds it',
      async () => {
        const turn = uniqueName('turn_');
        expect(await leases().renew(turn, 'a', LONG_MS)).toBe(true);
        expect(await leases().holders([turn])).toEqual(['a']);
        expect(await leases().renew(turn, 'b', LONG_MS)).toBe(false);
        expect(await leases().renew(turn, 'a', LONG_MS)).toBe(true);
      },
      DEADLINE_MS,
    );

    test(
      'only its holder gives it up',
      async () => {
        const turn = uniqueName('turn_');
        await leases().acquire(turn, 'a', LONG_MS);
        await leases().release(turn, 'b');
        expect(await leases().holders([turn])).toEqual(['a']);
        await leases().release(turn, 'a');
        expect(await leases().holders([turn])).toEqual([null]);
        expect(await leases().acquire(turn, 'b', LONG_MS)).toBe(true);
      },
      DEADLINE_MS,
    );

    test(
      'it ends by itself, unless renewed',
      async () => {
        const [short, renewed] = [uniqueName('turn_'), uniqueName('turn_')];
        await leases().acquire(short, 'a', SHORT_MS);
        await leases().acquire(renewed, 'a', SHORT_MS);
        expect(await leases().renew(renewed, 'a', LONG_MS)).toBe(true);
        await eventually('the short one ends', async () => (await leases().holders([short]))[0] === null);
        expect(await leases().acquire(short, 'b', LONG_MS)).toBe(true);
        expect(await leases().holders([short, renewed])).toEqual(['b', 'a']);
        expect(await leases().renew(short, 'a', LONG_MS)).toBe(false);
      },
      DEADLINE_MS,
    );
  });
}
