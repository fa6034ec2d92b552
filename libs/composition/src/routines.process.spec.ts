import { RoutinesWorld, type Body } from './testing/routines.process.js';

const hour = 3_600_000;

async function world(
  startsAt: string,
  processes = 1,
): Promise<{
  world: RoutinesWorld;
  routine: (schedule: object) => Promise<Body>;
  runs: (id: string) => Promise<Body[]>;
}> {
  const made = new RoutinesWorld(startsAt);
  for (let process = 0; process < processes; process += 1) await made.start();
  const agent = await made.call('POST', '/v1/agents', {
    name: 'a',
    visibility: 'organization',
    model: 'svc-scripted-1',
  });
  return {
    world: made,
    routine: (schedule) =>
      made.call('POST', '/v1/routines', {
        agent_id: agent.id,
        instructions: 'x',
        schedule,
        per_occurrence_ceiling_milli: 0,
        daily_ceiling_milli: 0,
      }),
    runs: async (id) => (await made.call('GET', `/v1/routines/occurrences?routine_id=${id}&limit=100`)).items ?? [],
  };
}
const isOpen = ({ status }: Body) => status === 'pending' || status === 'admitted';
const told = (runs: Body[]) => runs.map(({ scheduled_at: at, status }) => [at, status]).reverse();

describe('schedules on a clock', () => {
  let current: RoutinesWorld | null = null;
  afterEach(async () => {
    await current?.stop();
  });

  it('fire at the wall time of their zone, before and after the clocks change', async () => {
    const { world: here, routine, runs } = await world('2026-03-28T07:59:00.000Z');
    current = here;
    const { id, next_fire_at: next } = await routine({ cron: '0 9 * * *', timezone: 'Europe/Berlin' });
    expect(next).toBe('2026-03-28T08:00:00.000Z');
    const ended = (count: number) =>
      here.until(`${count} runs`, async () => {
        const found = await runs(id);
        return found.length === count && !found.some(isOpen) ? found : null;
      });
    here.clock.jump(61_000);
    await ended(1);
    expect(await here.call('GET', `/v1/routines/${id}`)).toMatchObject({ next_fire_at: '2026-03-29T07:00:00.000Z' });
    here.clock.jump(22 * hour);
    expect(await runs(id)).toHaveLength(1);
    here.clock.jump(hour);
    expect(told(await ended(2))).toEqual([
      ['2026-03-28T08:00:00.000Z', 'completed'],
      ['2026-03-29T07:00:00.000Z', 'completed'],
    ]);
  });

  it('after a time without anybody run the newest due time, once, and tell what was missed', async () => {
    const { world: here, routine, runs } = await world('2026-01-01T00:30:00.000Z');
    current = here;
    const { id } = await routine({ cron: '0 * * * *' });
    await here.stop();
    here.clock.jump(4 * hour);
    await here.start();
    const found = await here.until('the late run', async () => {
      const all = await runs(id);
      return all.some(({ status }) => status === 'completed') && !all.some(isOpen) ? all : null;
    });
    expect(told(found)).toEqual([
      ['2026-01-01T01:00:00.000Z', 'missed'],
      ['2026-01-01T02:00:00.000Z', 'missed'],
      ['2026-01-01T03:00:00.000Z', 'missed'],
      ['2026-01-01T04:00:00.000Z', 'completed'],
    ]);
    expect(Number(found[0]?.lateness_milliseconds)).toBeGreaterThanOrEqual(hour / 2);
    expect(await here.call('GET', `/v1/routines/${id}`)).toMatchObject({
      next_fire_at: '2026-01-01T05:00:00.000Z',
      occurrence_count: 1,
    });
  });

  it('run once with two processes that look', async () => {
    const { world: here, routine, runs } = await world('2026-01-01T00:30:00.000Z', 2);
    current = here;
    const { id } = await routine({ at: '2026-01-01T01:00:00.000Z' });
    here.clock.jump(hour / 2);
    await here.until('the end', async () =>
      (await here.call('GET', `/v1/routines/${id}`)).status === 'completed' && !(await runs(id)).some(isOpen)
        ? true
        : null,
    );
    const [run, ...more] = await runs(id);
    expect([run?.status, more]).toEqual(['completed', []]);
    const { items } = await here.call('GET', `/v1/sessions/${String(run?.session_id)}/turns`);
    expect(items).toHaveLength(1);
  });

  it('do not fire while paused, and not for that time afterwards', async () => {
    const { world: here, routine, runs } = await world('2026-01-01T00:30:00.000Z');
    current = here;
    const { id } = await routine({ cron: '0 * * * *' });
    await here.call('POST', `/v1/routines/${id}/pause`);
    here.clock.jump(3 * hour);
    for (let look = 0; look < 8; look += 1) await here.until('a look', () => Promise.resolve(true));
    expect(await here.call('POST', `/v1/routines/${id}/resume`)).toMatchObject({
      status: 'active',
      next_fire_at: '2026-01-01T04:00:00.000Z',
    });
    here.clock.jump(hour / 2);
    const found = await here.until('the run', async () => {
      const all = await runs(id);
      return all.length > 0 && !all.some(isOpen) ? all : null;
    });
    expect(told(found)).toEqual([['2026-01-01T04:00:00.000Z', 'completed']]);
  });
});
