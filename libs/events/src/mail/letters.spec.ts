import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ManualClock, eventually, quickest } from '@aos/kernel/testing';
import { readingMax, readingMs, waitingBytesMax, waitingMax } from './letter.limits.js';
import { Letters } from './letters.js';

const head = 'Subject: parts\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n';
const partly = (count: number) => Buffer.from(`${head}${'--b\r\n\r\nx\r\n'.repeat(count)}--b--\r\n`);

describe('mails that are read', () => {
  let clock: ManualClock;
  let letters: Letters;
  beforeEach(() => {
    clock = new ManualClock();
    letters = new Letters(clock);
  });
  afterEach(() => letters.close());

  it('give the same, small and large', async () => {
    for (const body of ['x', 'x'.repeat(100_000)])
      expect(await letters.read(Buffer.from(`From: Ann <a@b.example>\r\n\r\n${body}\r\n`))).toMatchObject({
        letter: { from: { name: 'Ann', address: 'a@b.example' }, text: `${body}\n` },
      });
    expect(clock.pendingTimers).toBe(0);
  });

  it('hold up nothing else, however long one takes, and end after 20 s', async () => {
    const delayed = await quickest(2_000, async () => {
      const delay = monitorEventLoopDelay({ resolution: 5 });
      delay.enable();
      const endless = letters.read(partly(700_000));
      const next = letters.read(partly(7_500));
      expect(await next).toMatchObject({ letter: { subject: 'parts' } });
      await eventually('the endless one is read', () => clock.nextTimerAt === clock.monotonic() + readingMs);
      clock.advance(readingMs);
      expect(await endless).toEqual({ failure: 'it takes longer than 20 s to read' });
      delay.disable();
      return delay.max / 1e6;
    });
    expect(delayed).toBeLessThan(2_000);
  });

  it('may be sent again when the service stops', async () => {
    const reading = letters.read(partly(700_000));
    await letters.close();
    expect(await reading).toMatchObject({ isPassing: true });
  });

  it('may be sent again when too many wait, by their number and by their bytes', async () => {
    const tooMany = { failure: 'too many mails wait to be read', isPassing: true };
    const [plain, large] = [partly(7_500), Buffer.alloc(waitingBytesMax / 8)];
    for (const [mail, room] of [
      [plain, waitingMax],
      [large, 8],
    ] as const) {
      const own = new Letters(clock);
      const all = Array.from({ length: readingMax + room + 1 }, () => own.read(mail));
      expect(await all.pop()).toEqual(tooMany);
      await own.close();
      expect(await Promise.all(all)).not.toContainEqual(tooMany);
    }
  });
});
