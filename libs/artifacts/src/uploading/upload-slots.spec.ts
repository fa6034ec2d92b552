import { ManualClock } from '@aos/kernel/testing';
import { UploadSlots } from './upload-slots.js';

const never = new AbortController().signal;

describe('rule TE2: slots of uploads', () => {
  it('are 4 of an organization and 16 of a process; the organizations that wait take turns', async () => {
    const slots = new UploadSlots(new ManualClock());
    const free = await Promise.all(
      ['a', 'b', 'c', 'd'].flatMap((org) => Array.from({ length: 4 }, () => slots.take(org, never))),
    );
    const begun: string[] = [];
    const waits = ['a', 'a', 'e'].map(async (org) => {
      const release = await slots.take(org, never);
      begun.push(org);
      return release;
    });
    free[0]?.();
    free[0]?.();
    await waits[0];
    expect(begun).toEqual(['a']);
    free[1]?.();
    await waits[2];
    expect(begun).toEqual(['a', 'e']);
    free[2]?.();
    await waits[1];
    expect(begun).toEqual(['a', 'e', 'a']);
  });

  it('are waited for 60 s', async () => {
    const clock = new ManualClock();
    const slots = new UploadSlots(clock);
    const free = await Promise.all(Array.from({ length: 4 }, () => slots.take('a', never)));
    const late = slots.take('a', never);
    clock.advance(59_999);
    await new Promise((soon) => setImmediate(soon));
    clock.advance(1);
    await expect(late).rejects.toMatchObject({ code: 'service_unavailable', headers: { 'retry-after': '5' } });
    free[0]?.();
    await expect(slots.take('a', never)).resolves.toBeInstanceOf(Function);
  });

  it('are not kept for a sender that left', async () => {
    const slots = new UploadSlots(new ManualClock());
    await Promise.all(Array.from({ length: 4 }, () => slots.take('a', never)));
    const left = new AbortController();
    const waiting = slots.take('a', left.signal);
    left.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});
