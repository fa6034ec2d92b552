import 'reflect-metadata';
import { CountedService } from './testing/counted-service.js';
import { CountingClock } from './testing/counting-clock.js';

const restSeconds = 60;
const beatMs = 500;
const beats = (restSeconds * 1000) / beatMs;

/**
 * Of all contexts in one process whose log others write too, in a minute without a request. Fewer are better. Renewals
 * of leases are gathered by their adapter; of timers that run at one moment the process wakes once.
 */
const bounds: Readonly<Record<string, number>> = {
  'looks for lost rows': 138,
  'looks for open work': 32,
  leases: 755,
  previews: 12,
  queries: 226,
  timers: 1_045,
  wakes: 124,
};

test('TP38: a process at rest wakes twice a second, and asks its engines no more than the table says', async () => {
  const clock = new CountingClock();
  const service = await CountedService.start({ alone: false, gathers: true, timed: true, clock });
  try {
    const passing = async (times: number) => {
      for (let beat = 0; beat < times; beat += 1) {
        await service.settled();
        service.pass(beatMs);
      }
      await service.settled();
    };
    await passing(beats); // what a start leaves to be done
    service.taken(1);
    clock.reset();
    const from = service.elapsedMs;
    await passing(beats);
    const minutes = (service.elapsedMs - from) / 60_000; // a slow machine lets more time pass until all is settled
    const counts: Record<string, number> = { ...service.taken(1), timers: clock.timers, wakes: clock.wakes };
    const over = Object.entries(counts).filter(([kind, count]) => count > (bounds[kind] ?? 0) * minutes);
    expect(over).toEqual([]);
    expect(counts['looks for lost rows']).toBeGreaterThanOrEqual(restSeconds - 1); // a loss is found within a second
  } finally {
    await service.stop();
  }
});
