import { cancelsOverCuts, commandsAlone, deathsInTurn, scheduleOf } from './schedule.js';
import { play, report, type Run } from './run.js';
import { Random } from './random.js';
import { calm, type Planted } from './shared.js';
import { sessionLogs } from './verdict.js';

const schedules = Number(process.env['SCHEDULES'] ?? 120);
const firstSeed = Number(process.env['SEED'] ?? process.env['FIRST_SEED'] ?? 1);
const seeds = process.env['SEED'] ? 1 : schedules;
const timeoutMs = Math.max(900_000, schedules * 1000);

/** Replicas that go down in good order, in turn, while work comes in. */
function stopsOf(seed: number): Run {
  return { seed, steps: deathsInTurn(new Random(seed), 'stop', 6, 2), replicas: 2, faults: calm };
}

/** Turns that are cancelled through other replicas while the bus is cut. */
function cutsOf(seed: number): Run {
  const replicas = 2 + (seed % 2);
  return { seed, steps: cancelsOverCuts(new Random(seed), 60), replicas, faults: calm, routing: 'any' };
}

/** The first schedule in which something is wrong; null when all hold. */
async function firstViolation(
  planted: Planted,
  count: number,
  schedule: (seed: number) => Run = scheduleOf,
): Promise<Run | null> {
  for (let seed = firstSeed; seed < firstSeed + count; seed += 1) {
    const run: Run = { ...schedule(seed), planted };
    if ((await play(run)).violation) return run;
  }
  return null;
}

describe('two and three replicas on one log, with crashes, pauses, lost and doubled deliveries', () => {
  it(
    `holds every invariant in ${seeds} schedules`,
    async () => {
      const seen = { ownerMoves: 0, splitBrains: 0, overCutBus: 0 };
      for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
        const run = scheduleOf(seed);
        const { violation, world } = await play(run);
        if (violation) throw new Error(await report(run, violation));
        const { ownerMoves, splitBrains, written } = world.shared;
        seen.ownerMoves += ownerMoves;
        seen.splitBrains += splitBrains;
        for (const appended of written.values())
          seen.overCutBus += appended.filter(({ busWasCut }) => busWasCut).length;
      }
      // rule TP22: the schedules have what is to be survived
      if (seeds >= 100) for (const times of Object.values(seen)) expect(times).toBeGreaterThan(seeds / 100);
    },
    timeoutMs,
  );

  it(
    'loses nothing when replicas are killed in turn under load, and no command waits for the dead one',
    async () => {
      for (let seed = firstSeed; seed < firstSeed + Math.min(40, seeds); seed += 1) {
        const run: Run = { seed, steps: deathsInTurn(new Random(seed), 'kill', 4, 2), replicas: 2, faults: calm };
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

  it(
    'leaves no turn behind when replicas go down in good order in turn, under load (rule TP11)',
    async () => {
      let stops = 0;
      for (let seed = firstSeed; seed < firstSeed + Math.min(40, seeds); seed += 1) {
        const run = stopsOf(seed);
        const { violation, world } = await play(run);
        if (violation) throw new Error(await report(run, violation));
        stops += world.stoppedSince.size;
      }
      expect(stops).toBeGreaterThan(0);
    },
    timeoutMs,
  );

  it(
    'rule TP24: while the bus is cut, and after it, no call leaves of a turn that another replica cancelled meanwhile',
    async () => {
      let cancels = 0;
      for (let seed = firstSeed; seed < firstSeed + Math.min(200, seeds); seed += 1) {
        const run = cutsOf(seed);
        const { violation, world } = await play(run);
        if (violation) throw new Error(await report(run, violation));
        for (const [sessionId, events] of await sessionLogs(world))
          cancels += events.filter(
            ({ type, revision }) =>
              type === 'TurnCancelled' && world.shared.written.get(`session-${sessionId}`)?.[revision]?.busWasCut,
          ).length;
      }
      expect(cancels).toBeGreaterThan(0);
    },
    timeoutMs,
  );

  // invariant 77
  it(
    'holds every invariant when half of the replicas write members and frames of a later build',
    async () => {
      let mixed = 0;
      for (let seed = firstSeed; seed < firstSeed + Math.min(50, seeds); seed += 1) {
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

  it(
    'rule TP22: with stable maps less than one command in 1,000 meets another writer; without owners many do',
    async () => {
      const conflictsOf = async (routing: 'owner' | 'any') => {
        let [commands, conflicts] = [0, 0];
        for (let seed = firstSeed; seed < firstSeed + Math.min(24, seeds); seed += 1) {
          const steps = commandsAlone(new Random(seed), 60);
          const run: Run = { seed, steps, replicas: 2 + (seed % 3), faults: calm, routing };
          const { violation, world } = await play(run);
          if (violation) throw new Error(await report(run, violation));
          commands += world.commands.length;
          conflicts += world.shared.conflicts;
        }
        return (1_000 * conflicts) / commands;
      };
      expect(await conflictsOf('owner')).toBeLessThan(1);
      expect(await conflictsOf('any')).toBeGreaterThan(5);
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

  it.each([
    ['ignored revision', scheduleOf],
    ['owner ignores revision', scheduleOf],
    ['no epoch', scheduleOf],
    ['park without a look at nudges', scheduleOf],
    ['place leaks', scheduleOf],
    ['claims while stopping', stopsOf],
    ['trusts a cut bus', cutsOf],
    ['trusts a bus that was cut', cutsOf],
  ] as const)(
    'finds a planted bug: %s',
    async (planted, schedule) => {
      expect(await firstViolation(planted, 500, schedule)).not.toBeNull();
    },
    timeoutMs,
  );
});
