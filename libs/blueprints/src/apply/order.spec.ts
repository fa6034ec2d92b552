import { StoreUnavailable } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import { writesAtOnce } from '../blueprint/blueprint.limits.js';
import type { ApplyBody } from '../plan/request.decide.js';
import { BlueprintsProcess, newWorld, type World } from '../testing/blueprints.fixture.js';

const count = 50;
const body: ApplyBody = {
  blueprint_key: 'b',
  resources: {
    skills: Array.from({ length: count }, (_, index) => ({
      key: `s${index}`,
      name: `skill ${index}`,
      instructions: 'x',
    })),
    agents: Array.from({ length: count }, (_, index) => ({
      key: `a${index}`,
      name: `agent ${index}`,
      skills: [{ key: `s${index}` }],
    })),
  },
};

/** Streams that were written, in the order of the log. */
async function written(world: World, prefixes: string[]): Promise<{ stream: string; name: unknown }[]> {
  const found: { stream: string; name: unknown }[] = [];
  let isAll = false;
  const seen = world.store.subscribe(
    {
      name: 'check',
      prefixes,
      from: 'start',
      onCaughtUp: () => {
        isAll = true;
      },
    },
    async (events) => {
      for (const { stream, data } of events) found.push({ stream, name: (data as { name?: string }).name });
    },
  );
  await eventually('the log was read', () => isAll);
  await seen.close();
  return found;
}

describe('the write order of an apply (B6)', () => {
  it('commits resources in the order of the list, tier by tier, with a bounded number side by side (rule TP18)', async () => {
    const world = newWorld();
    const service = new BlueprintsProcess(world);
    const waiting: (() => void)[] = [];
    let most = 0;
    let isHeld = true;
    world.store.faults = {
      beforeAppend: async (stream) => {
        if (!isHeld || !stream.startsWith('skill-')) return;
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
      },
    };
    const applied = service.apply(body);
    await eventually('no more is begun', async () => {
      most = Math.max(most, waiting.length);
      return waiting.length === writesAtOnce;
    });
    for (let turn = 0; turn < 50; turn += 1)
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    expect(waiting).toHaveLength(writesAtOnce);
    expect(await written(world, ['agent-', 'skill-'])).toEqual([]);
    isHeld = false;
    for (const release of waiting.reverse()) release();
    const { changes } = await applied;
    expect(changes.map(({ key, action }) => `${key} ${action}`)).toEqual(
      [...(body.resources.skills ?? []), ...(body.resources.agents ?? [])].map(({ key }) => `${key} created`),
    );
    const names = (await written(world, ['name-'])).map(({ name }) => name);
    expect(names).toEqual([...(body.resources.skills ?? []), ...(body.resources.agents ?? [])].map(({ name }) => name));
    const created = (await written(world, ['skill-', 'agent-'])).map(({ stream }) => stream.split('-')[0]);
    expect(created).toEqual([...Array<string>(count).fill('skill'), ...Array<string>(count).fill('agent')]);
    expect((await service.apply(body)).changes.every(({ action }) => action === 'unchanged')).toBe(true);
  });

  it('protects side by side too, all of a blueprint and what an apply leaves out (rule TP18)', async () => {
    const world = newWorld();
    const service = new BlueprintsProcess(world);
    await service.apply(body);
    const most = async (change: () => Promise<unknown>): Promise<number> => {
      const waiting: (() => void)[] = [];
      let isHeld = true;
      world.store.faults = {
        beforeAppend: async (stream) => {
          if (!isHeld || !/^(agent|skill)-/.test(stream)) return;
          await new Promise<void>((resolve) => {
            waiting.push(resolve);
          });
        },
      };
      const changed = change();
      await eventually('it writes', () => waiting.length > 0);
      for (let turn = 0; turn < 50; turn += 1)
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      isHeld = false;
      const found = waiting.length;
      for (const release of waiting) release();
      await changed;
      return found;
    };
    const protectedOnes = async () => (await service.list()).items.filter(({ protected: isProtected }) => isProtected);
    expect(await most(() => service.protect('b', true))).toBe(writesAtOnce);
    expect(await protectedOnes()).toHaveLength(2 * count);
    const lifts = { blueprint_key: 'b', protect_resources: false, resources: {} };
    expect(await most(() => service.apply(lifts))).toBe(writesAtOnce);
    expect(await protectedOnes()).toEqual([]);
  });

  it('lets an entry take the name that the one before it gives up, however long the chain', async () => {
    const service = new BlueprintsProcess(newWorld());
    const chain = (shift: number): ApplyBody => ({
      blueprint_key: 'chain',
      resources: {
        skills: Array.from({ length: 12 }, (_, index) => ({
          key: `s${index}`,
          name: `name ${index + shift}`,
          instructions: 'x',
        })).reverse(),
      },
    });
    await service.apply(chain(0));
    expect((await service.apply(chain(1))).changes.map(({ action, fields }) => [action, fields])).toEqual(
      Array<unknown>(12).fill(['updated', ['name']]),
    );
  });

  it('answers a fault when nothing is under way any more; the same apply completes it', async () => {
    const world = newWorld();
    const service = new BlueprintsProcess(world);
    let isDown = false;
    let created = 0;
    world.store.faults = {
      beforeAppend: async (stream) => {
        if (isDown) throw new StoreUnavailable('the log is down');
        if (!stream.startsWith('agent-')) return;
        created += 1;
        if (created === 5) {
          isDown = true;
          throw new StoreUnavailable('the log is down');
        }
      },
    };
    await expect(service.apply(body)).rejects.toBeInstanceOf(StoreUnavailable);
    world.store.faults = {};
    const after = await service.eventCount();
    for (let turn = 0; turn < 50; turn += 1)
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    expect(await service.eventCount()).toBe(after);
    expect((await written(world, ['agent-'])).length).toBeLessThan(count);
    const next = new BlueprintsProcess(world);
    expect((await next.apply(body)).changes).toHaveLength(2 * count);
    expect(await next.graph()).toHaveLength(2 * count);
    expect(new Set((await next.list()).items.map(({ resource_id: id }) => id)).size).toBe(2 * count);
  });
});
