import { Refusal, type JsonObject } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import { ofLive, resourceKindOf, type AnyRecord } from '@aos/definitions/published';
import type { ApplyBody } from '../plan/request.decide.js';
import { BlueprintsProcess, backend, dieAtAppend, newWorld } from '../testing/blueprints.fixture.js';

const size = 10;

/** Each apply wants the same resources with fields of its own. */
function wanted(by: number): ApplyBody {
  return {
    blueprint_key: 'b',
    blueprint_version: String(by),
    resources: {
      skills: Array.from({ length: size }, (_, index) => ({
        key: `s${index}`,
        name: `skill-${index}`,
        instructions: `by ${by}`,
      })),
      agents: Array.from({ length: size }, (_, index) => ({
        key: `a${index}`,
        name: `agent-${index}`,
        description: `by ${by}`,
        color: `c${by}`,
        skills: [{ key: `s${index}` }],
      })),
    },
  };
}

async function refusal(promise: Promise<unknown>): Promise<{ code: string; details: JsonObject }> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, details: error.details };
    throw error;
  }
  throw new Error('nothing was refused');
}

const body = (name: string, blueprint: string, description = blueprint): ApplyBody => ({
  blueprint_key: blueprint,
  resources: { agents: [{ key: 'a', name, description } as never] },
});

describe('changes of one blueprint, one after the other (B28)', () => {
  it('ten racing applies: no duplicate, no mixed resource, the last one whole', async () => {
    const world = newWorld();
    const service = new BlueprintsProcess(world);
    const results = await Promise.all(Array.from({ length: 10 }, (_, by) => service.apply(wanted(by))));
    const graph = await service.graph();
    expect(graph).toHaveLength(2 * size);
    expect(new Set(graph.map((one) => (one.binding as JsonObject).blueprint_version)).size).toBe(1);
    const by = (graph[0]?.binding as JsonObject).blueprint_version;
    for (const { type, fields } of graph)
      expect(fields).toMatchObject(
        type === 'agent'
          ? { description: `by ${String(by)}`, color: `c${String(by)}` }
          : { instructions: `by ${String(by)}` },
      );
    expect(results.filter(({ changes }) => changes.every(({ action }) => action === 'created'))).toHaveLength(1);
    expect(results.filter(({ changes }) => changes.every(({ action }) => action === 'updated'))).toHaveLength(9);
  });

  it('ten racing applies over two processes that share a log', async () => {
    const world = newWorld({ replicas: true });
    const services = [new BlueprintsProcess(world), new BlueprintsProcess(world)];
    await Promise.all(Array.from({ length: 10 }, (_, by) => services[by % 2]?.apply(wanted(by))));
    const graph = await (await services[0]!.caughtUp()).graph();
    expect(graph).toHaveLength(2 * size);
    expect(new Set(graph.map((one) => (one.binding as JsonObject).blueprint_version)).size).toBe(1);
  });

  it('one that waits 10 s for a change that goes on answers conflict', async () => {
    const world = newWorld({ replicas: true });
    const [first, second] = [new BlueprintsProcess(world), new BlueprintsProcess(world)];
    let finish: () => void = () => undefined;
    const going = first.changes.withLock(backend, { namespace: null, blueprintKey: 'b' }, async (lock) => {
      let isOver = false;
      finish = () => {
        isOver = true;
      };
      while (!isOver) {
        await lock.renew();
        await world.clock.sleep(1_000);
      }
    });
    const waiting = refusal(second.apply(wanted(1)));
    let isRefused = false;
    waiting.then(
      () => {
        isRefused = true;
      },
      () => {
        isRefused = true;
      },
    );
    await eventually('the second to wait', () => world.clock.pendingTimers === 2);
    for (let step = 0; step < 200 && !isRefused; step += 1) {
      world.clock.advance(100);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    expect(await waiting).toMatchObject({ code: 'conflict' });
    expect(world.clock.monotonic()).toBeGreaterThanOrEqual(10_000);
    finish();
    world.clock.advance(1_000);
    await going;
    expect((await second.apply(wanted(2))).changes).toHaveLength(2 * size);
  });

  it('one of a process that died elsewhere is taken over after 8 s', async () => {
    const world = newWorld({ replicas: true });
    dieAtAppend(world, 5, true);
    await new BlueprintsProcess(world).apply(wanted(1)).catch(() => null);
    world.store.faults = {};
    const next = new BlueprintsProcess(world);
    let isDone = false;
    const applied = next.apply(wanted(2)).finally(() => {
      isDone = true;
    });
    await eventually('it to wait', () => world.clock.pendingTimers > 0);
    expect(isDone).toBe(false);
    for (let step = 0; step < 100 && !isDone; step += 1) {
      world.clock.advance(100);
      await new Promise((resolve) => {
        setTimeout(resolve, 1);
      });
    }
    expect((await applied).changes).toHaveLength(2 * size);
    expect(world.clock.monotonic()).toBeGreaterThanOrEqual(8_000);
  });

  it('one that was silent for too long writes no more once another took over', async () => {
    const world = newWorld({ replicas: true });
    const [first, second] = [new BlueprintsProcess(world), new BlueprintsProcess(world)];
    const identity = { namespace: null, blueprintKey: 'b' };
    await expect(
      first.changes.withLock(backend, identity, async (lock) => {
        world.clock.advance(9_000);
        await second.apply(wanted(2));
        await lock.renew();
      }),
    ).rejects.toMatchObject({ code: 'conflict' });
    expect((await second.apply(wanted(2))).changes.every(({ action }) => action === 'unchanged')).toBe(true);
  });
});

describe('changes of one resource', () => {
  it('invariant 58: of blueprints that race to adopt it, one binds it and the others get a conflict', async () => {
    const world = newWorld();
    const service = new BlueprintsProcess(world);
    const id = await service.made('agent', 'wanted');
    const all = await Promise.allSettled(
      ['p', 'q', 'r', 's'].map((blueprint) => service.apply(body('wanted', blueprint))),
    );
    const won = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(won).toHaveLength(1);
    expect(won[0]?.changes).toMatchObject([{ action: 'adopted', resource_id: id }]);
    for (const one of all)
      if (one.status === 'rejected')
        expect(one.reason).toMatchObject({ code: 'blueprint_conflict', details: { reason: 'managed_elsewhere' } });
    expect((await service.list()).items).toMatchObject([{ resource_id: id, delete_on_destroy: false }]);
  });

  it('of blueprints that race to create one name, one makes it', async () => {
    const world = newWorld({ replicas: true });
    const services = [new BlueprintsProcess(world), new BlueprintsProcess(world)];
    const all = await Promise.allSettled(
      ['p', 'q', 'r', 's'].map((blueprint, index) => services[index % 2]!.apply(body('wanted', blueprint))),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of all)
      if (one.status === 'rejected')
        expect(one.reason).toMatchObject({ code: 'blueprint_conflict', details: { reason: 'managed_elsewhere' } });
    expect(await (await services[0]!.caughtUp()).graph()).toHaveLength(1);
  });

  it('an ordinary change between plan and write is not lost: the plan is made anew', async () => {
    const world = newWorld();
    const service = new BlueprintsProcess(world);
    const { bindings } = await service.apply(body('mine', 'b', 'one'));
    const id = bindings[0]?.resource_id ?? '';
    const { kind } = resourceKindOf('agent');
    let isChanged = false;
    world.store.faults = {
      beforeAppend: async (stream) => {
        if (isChanged || stream !== `agent-${id}`) return;
        isChanged = true;
        const paint = ofLive((_command: null, record: AnyRecord) => [
          kind.changed({ ...record, version: record.version + 1, wire: { ...record.wire, color: 'blue' } }),
        ]);
        await new BlueprintsProcess(world).writer.decide({ kind, decide: paint }, backend, id, null);
      },
    };
    const { changes } = await service.apply(body('mine', 'b', 'two'));
    expect(isChanged).toBe(true);
    expect(changes).toMatchObject([{ action: 'updated', fields: ['description'] }]);
    expect((await service.record('agent', id))?.wire).toMatchObject({ description: 'two', color: 'blue' });
  });

  it('secrets that were sealed anew between plan and write stay so: they keep the version', async () => {
    const world = newWorld();
    const service = new BlueprintsProcess(world);
    const wanted = (description: string): ApplyBody => ({
      blueprint_key: 'b',
      resources: { actions: [{ key: 'a', name: 'a', endpoint: 'https://example.com', description } as never] },
    });
    const { bindings } = await service.apply(wanted('one'));
    const id = bindings[0]?.resource_id ?? '';
    const { kind } = resourceKindOf('action');
    let isSealed = false;
    world.store.faults = {
      beforeAppend: async (stream) => {
        if (isSealed || stream !== `action-${id}`) return;
        isSealed = true;
        const seal = ofLive((_command: null, record: AnyRecord) => [
          { type: 'ActionSecretResealed', data: { record: { ...record, wire: { ...record.wire, signing: sealed } } } },
        ]);
        await new BlueprintsProcess(world).writer.decide({ kind, decide: seal }, backend, id, null);
      },
    };
    const sealed = { version: 1, sealed: 'under another key' };
    expect((await service.apply(wanted('two'))).changes).toMatchObject([
      { action: 'updated', fields: ['description'] },
    ]);
    expect(isSealed).toBe(true);
    expect((await service.record('action', id))?.wire).toMatchObject({ description: 'two', signing: sealed });
  });

  it('one deleted between plan and write is created again', async () => {
    const world = newWorld();
    const service = new BlueprintsProcess(world);
    const { bindings } = await service.apply(body('mine', 'b', 'one'));
    const id = bindings[0]?.resource_id ?? '';
    let isDeleted = false;
    world.store.faults = {
      beforeAppend: async (stream) => {
        if (isDeleted || stream !== `agent-${id}`) return;
        isDeleted = true;
        await new BlueprintsProcess(world).deleted('agent', id);
      },
    };
    const { changes } = await service.apply(body('mine', 'b', 'two'));
    expect(changes).toMatchObject([{ action: 'created' }]);
    expect(changes[0]?.resource_id).not.toBe(id);
    expect((await service.list()).items).toHaveLength(1);
  });

  it('R13: a skill that an agent was given while it is deleted leaves the agent, too', async () => {
    const world = newWorld();
    const service = new BlueprintsProcess(world);
    const agent = await service.made('agent', 'by hand');
    const skills = [{ key: 's', name: 's', instructions: 'x' } as never];
    const { bindings } = await service.apply({ blueprint_key: 'b', resources: { skills } });
    const skill = bindings[0]?.resource_id ?? '';
    const { kind } = resourceKindOf('agent');
    let isGiven = false;
    world.store.faults = {
      beforeAppend: async (stream) => {
        if (isGiven || stream !== `skill-${skill}`) return;
        isGiven = true;
        const give = ofLive((_command: null, record: AnyRecord) => [
          kind.changed({
            ...record,
            version: record.version + 1,
            wire: { ...record.wire, skill_ids: [skill] } as never,
          }),
        ]);
        await service.writer.decide({ kind, decide: give }, backend, agent, null);
      },
    };
    expect((await service.remove('b')).deleted).toMatchObject([{ resource_id: skill }]);
    expect(isGiven).toBe(true);
    expect((await service.record('agent', agent))?.wire).toMatchObject({ skill_ids: [] });
  });
});
