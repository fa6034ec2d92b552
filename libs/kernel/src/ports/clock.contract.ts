import type { Clock } from './clock.js';

const DEADLINE_MS = 30_000;
const HOUR_MS = 3600 * 1000;
const SHORT_MS = 10;
/** A timer may come this much early: machines round. */
const EARLY_MS = 1;

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
      DEADLINE_MS,
    );

    test(
      'a wall clock that is set moves neither monotonic time nor timers',
      async () => {
        let fired = 0;
        const later = opened.clock.after(HOUR_MS, () => {
          fired += 1;
        });
        opened.clock.after(SHORT_MS, () => {
          fired += 10;
        });
        for (const ms of [2 * HOUR_MS, -4 * HOUR_MS]) {
          const [wall, started] = [opened.clock.now(), opened.clock.monotonic()];
          opened.jump(ms);
          expect(Math.abs(opened.clock.now() - wall - ms)).toBeLessThan(HOUR_MS);
          const moved = opened.clock.monotonic() - started;
          expect(moved).toBeGreaterThanOrEqual(0);
          expect(moved).toBeLessThan(HOUR_MS);
        }
        await opened.pass(2 * SHORT_MS);
        expect(fired).toBe(10);
        later.cancel();
      },
      DEADLINE_MS,
    );

    test(
      'a timer runs once, after its time and never within the call',
      async () => {
        const [fired, started] = [[] as [string, number][], opened.clock.monotonic()];
        const note = (what: string) => () => {
          fired.push([what, opened.clock.monotonic() - started]);
        };
        opened.clock.after(4 * SHORT_MS, note('late'));
        opened.clock.after(SHORT_MS, note('early'));
        const now = opened.clock.after(0, note('now'));
        expect(fired).toEqual([]);
        await opened.pass(10 * SHORT_MS);
        expect(fired.map(([what]) => what)).toEqual(['now', 'early', 'late']);
        expect(fired[1]?.[1]).toBeGreaterThanOrEqual(SHORT_MS - EARLY_MS);
        expect(fired[2]?.[1]).toBeGreaterThanOrEqual(4 * SHORT_MS - EARLY_MS);
        now.cancel();
      },
      DEADLINE_MS,
    );

    test(
      'a cancelled timer does not run, and takes no other along',
      async () => {
        const fired: string[] = [];
        const cancelled = opened.clock.after(SHORT_MS, () => {
          fired.push('cancelled');
        });
        opened.clock.after(SHORT_MS, () => {
          fired.push('kept');
        });
        cancelled.cancel();
        cancelled.cancel();
        await opened.pass(5 * SHORT_MS);
        expect(fired).toEqual(['kept']);
      },
      DEADLINE_MS,
    );

    test(
      'a sleep ends after its time',
      async () => {
        const started = opened.clock.monotonic();
        let slept: number | null = null;
        const sleeping = opened.clock.sleep(SHORT_MS, new AbortController().signal).then(() => {
          slept = opened.clock.monotonic() - started;
        });
        await Promise.resolve();
        expect(slept).toBeNull();
        await opened.pass(2 * SHORT_MS);
        await sleeping;
        expect(slept).toBeGreaterThanOrEqual(SHORT_MS - EARLY_MS);
      },
      DEADLINE_MS,
    );

    test(
      'a sleep rejects with the reason of its signal, at once when that came first',
      async () => {
        const [abort, reason] = [new AbortController(), new Error('enough')];
        const sleeping = opened.clock.sleep(HOUR_MS, abort.signal);
        abort.abort(reason);
        await expect(sleeping).rejects.toBe(reason);
        await expect(opened.clock.sleep(HOUR_MS, abort.signal)).rejects.toBe(reason);
      },
      DEADLINE_MS,
    );

    test(
      'an abort after the sleep changes nothing',
      async () => {
        const abort = new AbortController();
        const sleeping = opened.clock.sleep(SHORT_MS, abort.signal);
        await opened.pass(2 * SHORT_MS);
        await sleeping;
        abort.abort(new Error('too late'));
        await expect(sleeping).resolves.toBeUndefined();
      },
      DEADLINE_MS,
    );
  });
}
