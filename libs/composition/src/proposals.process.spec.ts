import { StoreUnavailable } from '@aos/kernel';
import { RoutinesWorld, type Body } from './testing/routines.process.js';

const dayMs = 24 * 60 * 60 * 1000;

interface Made {
  world: RoutinesWorld;
  /** Path of the acts on a proposal that waits. */
  path: string;
  /** Key of the person that it is made to. */
  key: string;
  routines: () => Promise<Body[]>;
}

async function proposed(current: (world: RoutinesWorld) => void, processes: number): Promise<Made> {
  const world = new RoutinesWorld('2026-01-01T00:00:00.000Z');
  current(world);
  for (let process = 0; process < processes; process += 1) await world.start();
  const roles = (await world.call('GET', '/v1/roles?limit=100')).items ?? [];
  const role = roles.find(({ name }) => name === 'Admin')?.id;
  const person = await world.call('POST', '/v1/principals', { name: 'ada', kind: 'human', role_ids: [role] });
  const issued = await world.call('POST', '/v1/api-keys', { name: 'k', principal_id: person.id });
  const key = String(issued.key);
  const agent = await world.call('POST', '/v1/agents', {
    name: 'a',
    visibility: 'organization',
    model: 'svc-scripted-1',
    action_selectors: [{ selector_type: 'exact', selector: 'svc.routine.propose' }],
  });
  const request = {
    agent_id: agent.id,
    instructions: 'x',
    schedule: { interval: '1h' },
    per_occurrence_ceiling_milli: 0,
    daily_ceiling_milli: 0,
  };
  const steps = [{ call: { name: 'svc_routine_propose', input: { request } } }, { say: 'done' }];
  const input = { content: [{ type: 'text', text: JSON.stringify({ script: steps }) }] };
  const body = { agent_ref: { id: agent.id }, session: { mode: 'new' }, input };
  await world.ask('POST', '/v1/agents/invoke', { body, key });
  const proposal = await world.until('the proposal', async () => {
    const { body: list } = await world.ask('GET', '/v1/routines/proposals?status=pending', { key });
    return list.items?.[0] ?? null;
  });
  return {
    world,
    key,
    path: `/v1/routines/proposals/${proposal.id}`,
    routines: async () => (await world.ask('GET', '/v1/routines?limit=100', { key })).body.items ?? [],
  };
}

describe('TE19: proposals on a clock, over processes', () => {
  let current: RoutinesWorld | null = null;
  const keep = (world: RoutinesWorld) => {
    current = world;
  };
  afterEach(async () => {
    await current?.stop();
  });

  it('an approval that is raced over two replicas makes one routine', async () => {
    const { world, path, key, routines } = await proposed(keep, 2);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_none, index) => world.ask('POST', `${path}/approve`, { key, process: index % 2 })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 11 }, () => 200), 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(await routines()).toMatchObject([{ id: answers[0]?.body.id, status: 'active' }]);
  });

  it('an approval and a dismissal that race have one winner', async () => {
    const { world, path, key, routines } = await proposed(keep, 2);
    const [approved, dismissed] = await Promise.all([
      world.ask('POST', `${path}/approve`, { key, process: 0 }),
      world.ask('POST', `${path}/dismiss`, { key, process: 1 }),
    ]);
    const won = approved.status === 201;
    expect([approved.status, dismissed.body.status]).toEqual(won ? [201, 'approved'] : [409, 'dismissed']);
    expect(await routines()).toHaveLength(won ? 1 : 0);
  });

  it.each(['approve', 'dismiss', 'list'])('a routine that a crash left out is made by the next: %s', async (next) => {
    const { world, path, key, routines } = await proposed(keep, 1);
    const append = world.store.append.bind(world.store);
    const broken = jest.spyOn(world.store, 'append').mockImplementation((stream, ...rest) => {
      if (stream.startsWith('routine-')) throw new StoreUnavailable('away');
      return append(stream, ...rest);
    });
    expect(await world.ask('POST', `${path}/approve`, { key })).toMatchObject({ status: 503 });
    broken.mockRestore();
    expect(await routines()).toEqual([]);
    if (next === 'list') await world.ask('GET', '/v1/routines/proposals', { key });
    else await world.ask('POST', `${path}/${next}`, { key });
    const [made] = await routines();
    expect(made).toMatchObject({ status: 'active' });
    expect(await world.ask('POST', `${path}/approve`, { key })).toMatchObject({ status: 200, body: { id: made?.id } });
  });

  it('expire after seven days', async () => {
    const { world, path, key, routines } = await proposed(keep, 1);
    world.clock.jump(7 * dayMs);
    expect(await world.ask('POST', `${path}/approve`, { key })).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict', details: { status: 'expired' } } },
    });
    expect(await world.ask('POST', `${path}/dismiss`, { key })).toMatchObject({
      status: 200,
      body: { status: 'expired' },
    });
    expect(await routines()).toEqual([]);
  });
});
