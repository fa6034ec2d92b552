import { uniqueName } from '../testing/eventually.js';
import type { Snapshots } from './snapshots.js';

const deadlineMs = 180_000;

/** The Snapshots port's suite. Takes how an adapter is opened; every test uses keys of its own. */
export function snapshotsContract(
  name: string,
  open: () => Promise<{ snapshots: Snapshots; close(): Promise<void> }>,
): void {
  describe(`Snapshots: ${name}`, () => {
    let opened: { snapshots: Snapshots; close(): Promise<void> };
    beforeAll(async () => {
      opened = await open();
    }, deadlineMs);
    afterAll(async () => {
      await opened.close();
    }, deadlineMs);

    test(
      'gives what was put under exactly that key',
      async () => {
        const key = uniqueName('session-1|');
        expect(await opened.snapshots.get(key)).toBeNull();
        await opened.snapshots.put(key, 7, '{"text":"ä€😀"}');
        expect(await opened.snapshots.get(key)).toEqual({ revision: 7, state: '{"text":"ä€😀"}' });
        expect(await opened.snapshots.get(`${key}x`)).toBeNull();
      },
      deadlineMs,
    );

    test(
      'keeps the highest revision',
      async () => {
        const key = uniqueName('session-1|');
        await opened.snapshots.put(key, 7, 'seven');
        await opened.snapshots.put(key, 5, 'five');
        expect(await opened.snapshots.get(key)).toEqual({ revision: 7, state: 'seven' });
        await opened.snapshots.put(key, 300, 'x'.repeat(300_000));
        expect((await opened.snapshots.get(key))?.state).toHaveLength(300_000);
      },
      deadlineMs,
    );
  });
}
