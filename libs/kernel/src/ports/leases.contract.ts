import { eventually, uniqueName } from '../testing/eventually.js';
import type { Leases } from './leases.js';

const deadlineMs = 180_000;
const longMs = 60_000;
const shortMs = 40;

/** The Leases port's suite. Takes how an adapter is opened, on a real clock; every test uses names of its own. */
export function leasesContract(name: string, open: () => Promise<{ leases: Leases; close(): Promise<void> }>): void {
  describe(`Leases: ${name}`, () => {
    let opened: { leases: Leases; close(): Promise<void> };
    const leases = () => opened.leases;
    beforeAll(async () => {
      opened = await open();
    }, deadlineMs);
    afterAll(async () => {
      await opened.close();
    }, deadlineMs);

    test(
      'one owner holds it; the same owner may take it again; others may not',
      async () => {
        const turn = uniqueName('turn_');
        const taken = await Promise.all(['a', 'b', 'c', 'd'].map((owner) => leases().acquire(turn, owner, longMs)));
        expect(taken.filter(Boolean)).toHaveLength(1);
        const owner = ['a', 'b', 'c', 'd'][taken.indexOf(true)]!;
        expect(await leases().holders([uniqueName('none'), turn])).toEqual([null, owner]);
        expect(await leases().acquire(turn, owner, longMs)).toBe(true);
        expect(await leases().acquire(turn, 'other', longMs)).toBe(false);
      },
      deadlineMs,
    );

    test(
      'renewing puts back what went missing, and fails when somebody else holds it',
      async () => {
        const turn = uniqueName('turn_');
        expect(await leases().renew(turn, 'a', longMs)).toBe(true);
        expect(await leases().holders([turn])).toEqual(['a']);
        expect(await leases().renew(turn, 'b', longMs)).toBe(false);
        expect(await leases().renew(turn, 'a', longMs)).toBe(true);
      },
      deadlineMs,
    );

    test(
      'only its holder gives it up',
      async () => {
        const turn = uniqueName('turn_');
        await leases().acquire(turn, 'a', longMs);
        await leases().release(turn, 'b');
        expect(await leases().holders([turn])).toEqual(['a']);
        await leases().release(turn, 'a');
        expect(await leases().holders([turn])).toEqual([null]);
        expect(await leases().acquire(turn, 'b', longMs)).toBe(true);
      },
      deadlineMs,
    );

    test(
      'it ends by itself, unless renewed',
      async () => {
        const [short, renewed] = [uniqueName('turn_'), uniqueName('turn_')];
        await leases().acquire(short, 'a', shortMs);
        await leases().acquire(renewed, 'a', shortMs);
        expect(await leases().renew(renewed, 'a', longMs)).toBe(true);
        await eventually('the short one ends', async () => (await leases().holders([short]))[0] === null);
        expect(await leases().acquire(short, 'b', longMs)).toBe(true);
        expect(await leases().holders([short, renewed])).toEqual(['b', 'a']);
        expect(await leases().renew(short, 'a', longMs)).toBe(false);
      },
      deadlineMs,
    );
  });
}
