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

  test('TP38: what is asked again and again falls on common beats', () => {
    const armed = jest.spyOn(clock, 'after').mockReturnValue({ cancel: () => undefined });
    const now = jest.spyOn(performance, 'now');
    const dueAt = (ms: number, at: number) => {
      now.mockReturnValue(at);
      clock.onBeat(ms, () => undefined);
      return at + Number(armed.mock.lastCall?.[0]);
    };
    expect([10_000, 10_001.5, 10_740, 10_760, 10_999.5].map((at) => dueAt(1_000, at))).toEqual([
      11_000, 11_000, 11_000, 12_000, 12_000,
    ]);
    expect([10_000, 10_003, 10_499.5].map((at) => dueAt(5_000 / 3, at))).toEqual([10_500, 10_500, 12_000]);
    expect([10_000, 10_003, 10_499.5].map((at) => dueAt(500, at))).toEqual([10_500, 10_500, 11_000]);
    jest.restoreAllMocks();
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
