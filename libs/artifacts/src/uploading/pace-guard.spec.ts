import { PassThrough } from 'node:stream';
import { ManualClock } from '@aos/kernel/testing';
import { PaceGuard } from './pace-guard.js';

const never = () => new Promise<never>(() => undefined);

describe('rule TE2: the pace of an upload', () => {
  it('is ended below 16 KiB a second', async () => {
    const clock = new ManualClock();
    const stream = new PassThrough();
    const guard = new PaceGuard(stream, clock);
    const reading = guard.within(never());
    stream.resume();
    stream.write(Buffer.alloc(200 * 1024));
    await new Promise((soon) => setImmediate(soon));
    clock.advance(10_000);
    stream.write(Buffer.alloc(100 * 1024));
    await new Promise((soon) => setImmediate(soon));
    clock.advance(10_000);
    await expect(reading).rejects.toMatchObject({ code: 'request_timeout' });
    guard.end();
  });

  it('does not count the time in which the service keeps what came', async () => {
    const clock = new ManualClock();
    const guard = new PaceGuard(new PassThrough(), clock);
    let isRefused = false;
    void guard.within(never()).catch(() => {
      isRefused = true;
    });
    let kept: () => void = () => undefined;
    const own = guard.ownWork(() => new Promise<void>((over) => (kept = over)));
    for (let n = 0; n < 5; n += 1) clock.advance(10_000);
    kept();
    await own;
    await new Promise((soon) => setImmediate(soon));
    expect(isRefused).toBe(false);
    guard.end();
  });

  it('lasts 15 minutes at most', async () => {
    const clock = new ManualClock();
    const guard = new PaceGuard(new PassThrough(), clock);
    const reading = guard.within(never());
    void guard.ownWork(never);
    clock.advance(15 * 60_000);
    await expect(reading).rejects.toMatchObject({ code: 'request_timeout' });
    guard.end();
  });
});
