import { Refusal, StoreUnavailable, type Identity } from '@aos/kernel';
import { CreateAgent } from '../agents/agents.handlers.js';
import { agentResource } from '../resources/agent-resource.js';
import { agentRecords } from '../agent/agent.projection.js';
import { agentKind, type NewAgent } from '../agent/agent.state.js';
import { backend, definitionsProcess, newWorld, orgId, type World } from '../testing/definitions.fixture.js';

type Process = ReturnType<typeof definitionsProcess>;

const create = (service: Process, body: NewAgent, who: Identity = backend) =>
  service.createAgent.execute(new CreateAgent(who, { body: { visibility: 'organization', ...body } }));
const patch = (service: Process, id: string, body: object) => service.change(agentResource, backend, id, body);

/** Loses the next append to a stream of this category: the process dies there. */
function dieBefore(world: World, category: string, skip = 0): void {
  let left = skip;
  world.store.faults = {
    beforeAppend: (stream) => {
      if (!stream.startsWith(`${category}-`)) return;
      if (left > 0) {
        left -= 1;
        return;
      }
      world.store.faults = {};
      throw new StoreUnavailable('killed');
    },
  };
}

/** Agents that live in the log. */
async function liveAgents(world: World): Promise<{ id: string; name: string; ref: string | undefined }[]> {
  const { lists } = definitionsProcess(world);
  const agents = [];
  for await (const record of lists.all(agentRecords, orgId, [])) {
    agents.push({ id: record.id, name: record.wire.name, ref: record.wire.external_ref });
  }
  return agents;
}

describe('claims on names', () => {
  it('lets exactly one of many racing creates win, in any process', async () => {
    const world = newWorld({ replicas: true });
    const processes = [definitionsProcess(world), definitionsProcess(world)] as const;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) => create(processes[index % 2 ? 1 : 0], { name: 'planner' })),
    );
    const won = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.agent.id] : []));
    expect(won).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue;
      expect(outcome.reason).toBeInstanceOf(Refusal);
      expect(outcome.reason).toMatchObject({ code: 'already_exists', details: { resource_id: won[0] } });
    }
    expect(await liveAgents(world)).toHaveLength(1);
  });

  it('gives one agent to all racing adopters', async () => {
    const world = newWorld({ replicas: true });
    const processes = [definitionsProcess(world), definitionsProcess(world)] as const;
    const body: NewAgent = { name: 'planner', external_ref: 'crm-1', if_exists: 'adopt' };
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => create(processes[index % 2 ? 1 : 0], body)),
    );
    expect(new Set(answers.map(({ agent }) => agent.id)).size).toBe(1);
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
  });

  it('completes a create that died after its claim, under the name of its author', async () => {
    const world = newWorld();
    dieBefore(world, 'agent');
    await expect(create(definitionsProcess(world), { name: 'planner', description: 'first' })).rejects.toThrow(
      StoreUnavailable,
    );
    expect(await liveAgents(world)).toEqual([]);
    const service = definitionsProcess(world);
    await expect(create(service, { name: 'planner' }, { ...backend, principalId: 'service_2' })).rejects.toMatchObject({
      code: 'already_exists',
    });
    const [agent] = await liveAgents(world);
    const [created] = await service.decisions.read(agentKind, agent?.id ?? '', { limit: 1 });
    expect(created?.meta.principal_id).toBe(backend.principalId);
    expect(created?.data.record).toMatchObject({ wire: { description: 'first' } });
  });

  it('completes it also for one who only looks the name up', async () => {
    const world = newWorld();
    dieBefore(world, 'agent');
    await expect(create(definitionsProcess(world), { name: 'planner' })).rejects.toThrow(StoreUnavailable);
    expect(await definitionsProcess(world).agents.agentByName(orgId, 'planner')).toMatchObject({
      wire: { name: 'planner' },
    });
  });

  it('lets a preview see an unfinished create without writing anything', async () => {
    const world = newWorld();
    dieBefore(world, 'agent');
    await expect(create(definitionsProcess(world), { name: 'planner' })).rejects.toThrow(StoreUnavailable);
    const service = definitionsProcess(world);
    const end = await world.store.end();
    expect(await service.claims.peek(agentKind, orgId, 'planner')).toMatchObject({
      record: { wire: { name: 'planner' } },
      revision: -1,
    });
    expect(await service.claims.peek(agentKind, orgId, 'other')).toBeNull();
    expect(await world.store.end()).toBe(end);
    await service.agents.agentByName(orgId, 'planner');
    expect(await service.claims.peek(agentKind, orgId, 'planner')).toMatchObject({ revision: 0 });
  });

  it('carries out a rename that died after its claim, and frees the old name', async () => {
    const world = newWorld();
    const before = definitionsProcess(world);
    const { agent } = await create(before, { name: 'old' });
    dieBefore(world, 'agent');
    await expect(patch(before, String(agent.id), { name: 'new', description: 'lost' })).rejects.toThrow(
      StoreUnavailable,
    );
    const service = definitionsProcess(world);
    await expect(create(service, { name: 'new' })).rejects.toMatchObject({
      code: 'already_exists',
      details: { resource_id: agent.id },
    });
    await create(service, { name: 'old' });
    expect((await liveAgents(world)).map(({ name }) => name).sort()).toEqual(['new', 'old']);
  });

  it('gives up a rename whose agent moved on, so that others may take the name', async () => {
    const world = newWorld();
    const service = definitionsProcess(world);
    const { agent } = await create(service, { name: 'old' });
    dieBefore(world, 'agent');
    await expect(patch(service, String(agent.id), { name: 'new' })).rejects.toThrow(StoreUnavailable);
    await patch(service, String(agent.id), { color: 'red' });
    await create(service, { name: 'new' });
    await expect(patch(service, String(agent.id), { name: 'new' })).rejects.toMatchObject({ code: 'already_exists' });
    expect((await liveAgents(world)).map(({ name }) => name).sort()).toEqual(['new', 'old']);
  });

  it('takes over the name of an agent whose delete died before the release', async () => {
    const world = newWorld();
    const service = definitionsProcess(world);
    const { agent } = await create(service, { name: 'planner' });
    dieBefore(world, 'name');
    await service.remove(agentResource, backend, String(agent.id));
    const next = await create(definitionsProcess(world), { name: 'planner' });
    expect(next.agent.id).not.toBe(agent.id);
  });

  it('gives a name one holder however creates, renames and deletes race', async () => {
    const world = newWorld({ replicas: true });
    const processes = [definitionsProcess(world), definitionsProcess(world)] as const;
    const { agent: first } = await create(processes[0], { name: 'first' });
    const { agent: second } = await create(processes[1], { name: 'second' });
    await Promise.allSettled([
      patch(processes[0], String(first.id), { name: 'x' }),
      patch(processes[1], String(second.id), { name: 'x' }),
      create(processes[0], { name: 'x' }),
      create(processes[1], { name: 'first' }),
      patch(processes[1], String(first.id), { color: 'red' }),
      processes[0].remove(agentResource, backend, String(second.id)),
      create(processes[1], { name: 'x' }),
    ]);
    const names = (await liveAgents(world)).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('x');
  });
});

describe('claims on outside identities', () => {
  it.each([0, 1, 2])(
    'finishes or abandons creates that died at their append %i, and never gives a reference twice',
    async (skip) => {
      const world = newWorld();
      let appends = 0;
      world.store.faults = {
        beforeAppend: () => {
          appends += 1;
          if (appends > skip) {
            world.store.faults = {};
            throw new StoreUnavailable('killed');
          }
        },
      };
      await expect(create(definitionsProcess(world), { name: 'a', external_ref: 'r' })).rejects.toThrow(
        StoreUnavailable,
      );
      const service = definitionsProcess(world);
      const outcome = await Promise.allSettled([create(service, { name: 'b', external_ref: 'r' })]);
      await Promise.allSettled([create(service, { name: 'a' })]);
      const agents = await liveAgents(world);
      expect(agents.filter(({ ref }) => ref === 'r')).toHaveLength(1);
      expect(outcome[0].status).toBe(skip === 2 ? 'rejected' : 'fulfilled');
      expect(new Set(agents.map(({ name }) => name)).size).toBe(agents.length);
      expect(agents.map(({ name }) => name)).toContain('a');
    },
  );

  it('completes a reference that was claimed but not set', async () => {
    const world = newWorld();
    const before = definitionsProcess(world);
    const { agent } = await create(before, { name: 'a' });
    dieBefore(world, 'agent');
    await expect(patch(before, String(agent.id), { external_ref: 'r' })).rejects.toThrow(StoreUnavailable);
    const service = definitionsProcess(world);
    await expect(create(service, { name: 'b', external_ref: 'r' })).rejects.toMatchObject({
      code: 'already_exists',
      details: { resource_id: agent.id },
    });
    expect(await service.agents.agent(orgId, String(agent.id))).toMatchObject({ wire: { external_ref: 'r' } });
  });

  it('lets go of the reference when the name in the same change is taken', async () => {
    const world = newWorld();
    const service = definitionsProcess(world);
    await create(service, { name: 'taken' });
    const { agent } = await create(service, { name: 'a' });
    await expect(patch(service, String(agent.id), { name: 'taken', external_ref: 'r' })).rejects.toMatchObject({
      code: 'already_exists',
    });
    expect((await create(service, { name: 'b', external_ref: 'r' })).agent).toMatchObject({ external_ref: 'r' });
    expect(await service.agents.agent(orgId, String(agent.id))).not.toHaveProperty('wire.external_ref');
  });
});
