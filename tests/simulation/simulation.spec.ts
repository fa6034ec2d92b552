import { killsInTurn, scheduleOf } from './schedule.js';
import { play, report, type Run } from './run.js';
import { Random } from './random.js';
import { calm, type Planted } from './shared.js';

const schedules = Number(process.env['SCHEDULES'] ?? 500);
const firstSeed = Number(process.env['SEED'] ?? process.env['FIRST_SEED'] ?? 1);
const seeds = process.env['SEED'] ? 1 : schedules;
const timeoutMs = Math.max(300_000, schedules * 1000);

/** The seed of the first schedule in which something is wrong; null when all hold. */
async function firstViolation(planted: Planted, count: number): Promise<Run | null> {
  for (let seed = firstSeed; seed < firstSeed + count; seed += 1) {
    const run: Run = { ...scheduleOf(seed), planted };
    if ((await play(run)).violation) return run;
  }
  return null;
}

describe('two and three replicas on one log, with crashes, pauses, lost and doubled deliveries', () => {
  it(
    `holds every invariant in ${seeds} schedules`,
    async () => {
      for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
        const run = scheduleOf(seed);
        const { violation } = await play(run);
        if (violation) throw new Error(await report(run, violation));
      }
    },
    timeoutMs,
  );

  it(
    'loses nothing when replicas are killed in turn under load, and no command waits for the dead one',
    async () => {
      for (let seed = firstSeed; seed < firstSeed + Math.min(40, seeds); seed += 1) {
        const run: Run = { seed, steps: killsInTurn(new Random(seed), 4, 2), replicas: 2, faults: calm };
        const { violation, world } = await play(run);
        if (violation) throw new Error(await report(run, violation));
        const slow = world.commands.filter(
          ({ outcome, sentAt, answeredAt }) => outcome === 'done' && answeredAt - sentAt > 2000,
        );
        expect(
          slow.map(({ kind, requestId, place, sentAt, answeredAt }) => ({
            seed,
            kind,
            requestId,
            place,
            sentAt,
            answeredAt,
          })),
        ).toEqual([]);
      }
    },
    timeoutMs,
  );

  // invariant 77
  it(
    'holds every invariant when half of the replicas write members and frames of a later build',
    async () => {
      let mixed = 0;
      for (let seed = firstSeed; seed < firstSeed + Math.min(100, seeds); seed += 1) {
        const run: Run = { ...scheduleOf(seed), twoBuilds: true };
        const { violation, world } = await play(run);
        if (violation) throw new Error(await report(run, violation));
        for (const written of world.shared.written.values())
          mixed += new Set(written.map(({ place }) => place.replace(/-.*/, ''))).size > 1 ? 1 : 0;
      }
      expect(mixed).toBeGreaterThanOrEqual(seeds > 1 ? 1 : 0); // streams that both builds wrote
    },
    timeoutMs,
  );

  it('plays the same history for the same seed', async () => {
    const history = async () => {
      const { world } = await play(scheduleOf(firstSeed));
      return {
        turns: world.shared.scheduler.turns,
        written: [...world.shared.written],
        position: world.shared.position,
      };
    };
    expect(await history()).toEqual(await history());
  });

  it.each(['ignored revision', 'no epoch', 'park without a look at nudges'] as const)(
    'finds a planted bug: %s',
    async (planted) => {
      expect(await firstViolation(planted, 500)).not.toBeNull();
    },
    timeoutMs,
  );
});
