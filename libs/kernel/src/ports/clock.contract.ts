import type { Clock } from './clock.js';

const deadlineMs = 180_000;
const hourMs = 3600 * 1000;
const shortMs = 10;
/** A timer may come this much early: machines round. */
const earlyMs = 1;

export interface OpenedClock {
  clock: Clock;
  /** Resolves when this much monotonic time has passed and timers that were due have run. */
  pass(ms: number): Promise<void>;
  /** Sets the wall clock forward, or back. */
  jump(ms: number): void;
  close(): void;
}

/** The Clock port's suite. */
export function clockContract(name: string, open: () => OpenedClock): void {
  describe(`Clock: ${name}`, () => {
    let opened: OpenedClock;
    beforeEach(() => {
      opened = open();
    });
    afterEach(() => {
      opened.close();
    });

    test(
      'both times go on; monotonic time never goes back',
      async () => {
        const [wall, started] = [opened.clock.now(), opened.clock.monotonic()];
        let last = started;
        for (let round = 0; round < 5; round += 1) {
          for (let reading = 0; reading < 200; reading += 1) {
            const now = opened.clock.monotonic();
            expect(now).toBeGreaterThanOrEqual(last);
            last = now;
          }
          await opened.pass(2);
        }
        expect(opened.clock.monotonic() - started).toBeGreaterThanOrEqual(10);
        expect(opened.clock.now()).toBeGreaterThan(wall);
      },
      deadlineMs,
    );

    test(
      'a wall clock that is set moves neither monotonic time nor timers',
      async () => {
        let fired = 0;
        const later = opened.clock.after(hourMs, () => {
          fired += 1;
        });
        opened.clock.after(shortMs, () => {
          fired += 10;
        });
        for (const ms of [2 * hourMs, -4 * hourMs]) {
          const [wall, started] = [opened.clock.now(), opened.clock.monotonic()];
          opened.jump(ms);
          expect(Math.abs(opened.clock.now() - wall - ms)).toBeLessThan(hourMs);
          const moved = opened.clock.monotonic() - started;
          expect(moved).toBeGreaterThanOrEqual(0);
          expect(moved).toBeLessThan(hourMs);
        }
        await opened.pass(2 * shortMs);
        expect(fired).toBe(10);
        later.cancel();
      },
      deadlineMs,
    );

    test(
      'a timer runs once, after its time and never within the call',
      async () => {
        const [fired, started] = [[] as [string, number][], opened.clock.monotonic()];
        const note = (what: string) => () => {
          fired.push([what, opened.clock.monotonic() - started]);
        };
        opened.clock.after(4 * shortMs, note('late'));
        opened.clock.after(shortMs, note('early'));
        const now = opened.clock.after(0, note('now'));
        expect(fired).toEqual([]);
        await opened.pass(10 * shortMs);
        expect(fired.map(([what]) => what)).toEqual(['now', 'early', 'late']);
        expect(fired[1]?.[1]).toBeGreaterThanOrEqual(shortMs - earlyMs);
        expect(fired[2]?.[1]).toBeGreaterThanOrEqual(4 * shortMs - earlyMs);
        now.cancel();
      },
      deadlineMs,
    );

    test(
      'a cancelled timer does not run, and takes no other along',
      async () => {
        const fired: string[] = [];
        const cancelled = opened.clock.after(shortMs, () => {
          fired.push('cancelled');
        });
        opened.clock.after(shortMs, () => {
          fired.push('kept');
        });
        cancelled.cancel();
        cancelled.cancel();
        await opened.pass(5 * shortMs);
        expect(fired).toEqual(['kept']);
      },
      deadlineMs,
    );

    test(
      'a sleep ends after its time',
      async () => {
        const started = opened.clock.monotonic();
        let slept: number | null = null;
        const sleeping = opened.clock.sleep(shortMs, new AbortController().signal).then(() => {
          slept = opened.clock.monotonic() - started;
        });
        await Promise.resolve();
        expect(slept).toBeNull();
        await opened.pass(2 * shortMs);
        await sleeping;
        expect(slept).toBeGreaterThanOrEqual(shortMs - earlyMs);
      },
      deadlineMs,
    );

    test(
      'a sleep rejects with the reason of its signal, at once when that came first',
      async () => {
        const [abort, reason] = [new AbortController(), new Error('enough')];
        const sleeping = opened.clock.sleep(hourMs, abort.signal);
        abort.abort(reason);
        await expect(sleeping).rejects.toBe(reason);
        await expect(opened.clock.sleep(hourMs, abort.signal)).rejects.toBe(reason);
      },
      deadlineMs,
    );

    test(
      'an abort after the sleep changes nothing',
      async () => {
        const abort = new AbortController();
        const sleeping = opened.clock.sleep(shortMs, abort.signal);
        await opened.pass(2 * shortMs);
        await sleeping;
        abort.abort(new Error('too late'));
        await expect(sleeping).resolves.toBeUndefined();
      },
      deadlineMs,
    );
  });
}
