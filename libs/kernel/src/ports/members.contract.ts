import { eventually, uniqueName } from '../testing/eventually.js';
import type { Member, Members } from './members.js';

const deadlineMs = 180_000;
const longMs = 60_000;
const shortMs = 40;

const member = (address: string, weight = 1): Member => ({ address, weight, startedAt: 1_700_000_000_000, build: '1' });

/** The Members port's suite. Takes how an adapter is opened, on a real clock; every test uses a group of its own. */
export function membersContract(name: string, open: () => Promise<{ members: Members; close(): Promise<void> }>): void {
  describe(`Members: ${name}`, () => {
    let opened: { members: Members; close(): Promise<void> };
    let group: string;
    const members = () => opened.members;
    beforeAll(async () => {
      opened = await open();
    }, deadlineMs);
    beforeEach(() => {
      group = uniqueName('group-');
    });
    afterAll(async () => {
      await opened.close();
    }, deadlineMs);

    test(
      'gives those that were renewed, by address, as they were said last',
      async () => {
        expect(await members().all(group)).toEqual([]);
        await members().renew(group, member('http://b:1'), longMs);
        await members().renew(group, member('http://a:1', 0.25), longMs);
        expect(await members().all(group)).toEqual([member('http://a:1', 0.25), member('http://b:1')]);
        await members().renew(group, member('http://b:1', 0), longMs);
        expect(await members().all(group)).toEqual([member('http://a:1', 0.25), member('http://b:1', 0)]);
        expect(await members().all(uniqueName('group-'))).toEqual([]);
      },
      deadlineMs,
    );

    test(
      'gives one no more that left, and none the less when it comes back',
      async () => {
        await members().renew(group, member('http://a:1'), longMs);
        await members().renew(group, member('http://b:1'), longMs);
        await members().leave(group, 'http://a:1');
        await members().leave(group, 'http://unknown:1');
        expect(await members().all(group)).toEqual([member('http://b:1')]);
        await members().renew(group, member('http://a:1'), longMs);
        expect(await members().all(group)).toHaveLength(2);
      },
      deadlineMs,
    );

    test(
      'gives one no more that was not renewed, also while others are',
      async () => {
        await members().renew(group, member('http://a:1'), shortMs);
        await members().renew(group, member('http://b:1'), shortMs);
        await members().renew(group, member('http://b:1'), longMs);
        await eventually('a is gone', async () => (await members().all(group)).length === 1);
        expect(await members().all(group)).toEqual([member('http://b:1')]);
        await members().renew(group, member('http://a:1', 0.5), longMs);
        expect(await members().all(group)).toEqual([member('http://a:1', 0.5), member('http://b:1')]);
      },
      deadlineMs,
    );
  });
}
