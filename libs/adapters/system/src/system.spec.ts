import { untilBeat } from '@aos/kernel';
import { SystemClock } from './system-clock.js';
import { SystemIds } from './system-ids.js';

describe('SystemClock', () => {
  const clock = new SystemClock();

  test('monotonic time passes and timers fire after their time', async () => {
    const started = clock.monotonic();
    await clock.sleep(15);
    expect(clock.monotonic() - started).toBeGreaterThanOrEqual(14);
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1000);
  });

  test('a cancelled timer does not fire; an aborted sleep rejects with the reason', async () => {
    let fired = false;
    clock
      .after(1, () => {
        fired = true;
      })
      .cancel();
    const abort = new AbortController();
    const sleeping = clock.sleep(60_000, abort.signal);
    abort.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    await expect(clock.sleep(1, AbortSignal.abort(new Error('already')))).rejects.toThrow('already');
    await clock.sleep(5);
    expect(fired).toBe(false);
  });

  test('TP38: what is asked again and again falls on common beats, once in each', async () => {
    const beatMs = 40;
    const seen: number[] = [];
    const late = (ms: number) => ms % beatMs;
    await new Promise<void>((resolve) => {
      const ask = () => {
        seen.push(clock.monotonic());
        if (seen.length < 5) clock.onBeat(beatMs, ask);
        else resolve();
      };
      clock.onBeat(beatMs, ask);
    });
    const beats = seen.map((ms) => Math.round((ms - Math.min(...seen.map(late))) / beatMs));
    expect(new Set(beats).size).toBe(5);
    expect([0, 9, 10, 31, 99.5, 100].map((now) => untilBeat(now, beatMs))).toEqual([40, 31, 30, 49, 20.5, 20]);
  });

  test("a timer beyond Node's longest does not fire at once", async () => {
    let fired = false;
    const timer = clock.after(2 ** 31 + 5, () => {
      fired = true;
    });
    await clock.sleep(5);
    timer.cancel();
    expect(fired).toBe(false);
  });
});

describe('SystemIds', () => {
  test('ulids are 26 lower-case characters, unique and sorted, also when the clock stands or goes back', () => {
    let nowMs = 1_750_000_000_000;
    const ids = new SystemIds(() => nowMs);
    const made: string[] = [];
    for (let n = 0; n < 3000; n += 1) {
      if (n === 1000) nowMs -= 5000;
      if (n === 2000) nowMs += 9000;
      made.push(ids.ulid());
    }
    expect(new Set(made).size).toBe(3000);
    expect([...made].sort()).toEqual(made);
    for (const id of made) expect(id).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/);
  });

  test('uuids and bytes are random', () => {
    const ids = new SystemIds();
    expect(ids.uuid()).not.toBe(ids.uuid());
    expect(ids.randomBytes(16)).toHaveLength(16);
    expect(Buffer.from(ids.randomBytes(16)).equals(Buffer.from(ids.randomBytes(16)))).toBe(false);
  });
});
