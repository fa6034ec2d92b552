import { MemoryLeases, MemoryReadStore } from '@aos/adapters/memory';
import { Refusal, StoreUnavailable } from '@aos/kernel';
import { CountingIds, ManualClock } from '@aos/kernel/testing';
import { soundBus } from '@aos/platform/testing';
import { WebhookRoom } from './webhook-room.js';

/** Goes away once it has leased something. */
class LeavingLeases extends MemoryLeases {
  override release(): Promise<void> {
    return Promise.reject(new StoreUnavailable('the lease store does not answer'));
  }
}

function room() {
  const clock = new ManualClock();
  return new WebhookRoom(new MemoryReadStore(), new LeavingLeases(clock), soundBus(clock), clock, new CountingIds());
}

it('gives a hook that was made, with its secret, also when its lease cannot be given back: that ends by itself', async () => {
  await expect(room().withRoom('org_1', ({ id }) => Promise.resolve(`secret of ${id}`))).resolves.toMatch(
    /^secret of hook_/,
  );
});

it('says why none was made, whatever becomes of the lease', async () => {
  const refused = new Refusal('invalid_argument');
  await expect(room().withRoom('org_1', () => Promise.reject(refused))).rejects.toBe(refused);
});
