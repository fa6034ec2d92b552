import { eventually, whileTimePasses } from '@aos/kernel/testing';
import { MemoryLeases, MemoryReadStore } from '@aos/adapters/memory';
import { OrderedRebuild, Readiness, loadSettings } from '@aos/platform';
import { backend, newWorld, orgId, type World } from '../testing/definitions.fixture.js';
import { tablesProcess } from '../testing/tables.fixture.js';
import { MemoryChanges } from './memory-changes.js';
import { changesCollection, feedsCollection, goneChange } from './memory-changes.projection.js';
import { MemoryChangesProjector } from './memory-changes-projector.js';
import { changesKeptMs } from './memory.limits.js';
import { OrderedMemoryChanges } from './ordered-memory-changes.js';

const hourMs = 3600 * 1000;

function started(world: World, readStore = world.readStore) {
  const { store, clock, ids } = world;
  const projector = new MemoryChangesProjector(
    store,
    readStore,
    new MemoryLeases(clock),
    clock,
    ids,
    loadSettings({}, 'embedded'),
    new Readiness(),
  );
  projector.onApplicationBootstrap();
  return projector;
}

async function start() {
  const world = newWorld();
  const service = tablesProcess(world);
  const feed = new MemoryChanges(world.readStore, service.entries, service.seal, world.clock);
  const projector = started(world);
  const standing = (agentId: string, readStore = world.readStore) =>
    readStore.count({ collection: changesCollection, scope: [orgId, agentId] }, 10_000);
  const save = (agentId: string, key: string, content: string, deliveryId: string | null = null) =>
    service.entries.save({ who: backend, agentId, userId: '', key, reason: 'remembered', deliveryId }, { content });
  return { world, service, feed, projector, standing, save };
}

describe('the memory change feed (R37)', () => {
  it('lets changes go once they are 30 days old, of every agent, more than one step of them', async () => {
    const { world, feed, projector, standing, save } = await start();
    for (let count = 0; count < 520; count += 1) await save('agent_1', 'k', `text ${count}`);
    await save('agent_2', 'k', 'one');
    const old = await feed.page(backend, 'agent_1', { limit: 100 });
    expect(old.items).toHaveLength(100);
    world.clock.advance(changesKeptMs - hourMs);
    await save('agent_1', 'k', 'late');
    const young = await feed.page(backend, 'agent_2', {});
    expect(young.items).toHaveLength(1);
    world.clock.advance(2 * hourMs);
    await eventually('the old ones left', async () => {
      world.clock.advance(1);
      return (await standing('agent_1')) === 1 && (await standing('agent_2')) === 0;
    });
    const { items, next_cursor: cursor } = await feed.page(backend, 'agent_1', {});
    expect(items).toMatchObject([{ operation: 'updated', version: 521 }]);
    await expect(feed.page(backend, 'agent_1', { after: String(old.next_cursor) })).rejects.toMatchObject({
      code: 'memory_cursor_expired',
    });
    expect(await feed.page(backend, 'agent_2', { after: String(young.next_cursor) })).toMatchObject({
      items: [],
      has_more: false,
    });
    await save('agent_1', 'k', 'later');
    expect((await feed.page(backend, 'agent_1', { after: String(cursor) })).items).toMatchObject([{ version: 522 }]);
    await projector.onApplicationShutdown();
    expect(world.clock.pendingTimers).toBe(0);
  });

  it('built again holds what is kept and nothing older, and tells nothing of what changed nothing', async () => {
    const { world, service, projector, standing, save } = await start();
    await save('agent_1', 'k', 'one');
    world.clock.advance(changesKeptMs);
    await save('agent_1', 'k', 'two');
    await save('agent_1', 'k', 'two', 'dlv_1');
    await service.entries.delete({
      who: backend,
      agentId: 'agent_1',
      userId: '',
      key: 'k',
      reason: 'api',
      deliveryId: null,
    });
    await eventually('the old one left', async () => {
      world.clock.advance(hourMs);
      return (await standing('agent_1')) === 2;
    });
    const rebuilt = new MemoryReadStore();
    const again = started(world, rebuilt);
    await eventually('it was built again', async () => (await standing('agent_1', rebuilt)) === 2);
    await again.onApplicationShutdown();
    await projector.onApplicationShutdown();
  });

  it('is compared with the log: what differs is named, what has left or is too old is no difference', async () => {
    const { world, projector, standing, save } = await start();
    const check = () =>
      whileTimePasses(
        world.clock,
        500,
        new OrderedRebuild(
          { store: world.store, readStore: world.readStore, clock: world.clock },
          new OrderedMemoryChanges(world.clock),
        ).run(),
      );
    await save('agent_1', 'k', 'one');
    await save('agent_2', 'k', 'one');
    await eventually('told', async () => (await standing('agent_2')) === 1);
    expect(await check()).toMatchObject([
      { collection: changesCollection, rows: 2, matches: true },
      { collection: feedsCollection, rows: 2, matches: true },
    ]);
    world.clock.advance(changesKeptMs);
    for (const content of ['two', 'three', 'four']) await save('agent_1', 'k', content);
    await eventually('the old ones left', async () => {
      world.clock.advance(hourMs);
      return (await standing('agent_1')) === 3 && (await standing('agent_2')) === 0;
    });
    expect(await check()).toMatchObject([
      { collection: changesCollection, rows: 3, matches: true, differences: [] },
      { collection: feedsCollection, rows: 1, matches: true },
    ]);
    const scope = [orgId, 'agent_1'];
    const {
      rows: [two, three],
    } = await world.readStore.query({ collection: changesCollection, scope, limit: 2 });
    const place = { collection: changesCollection, scope, revision: 9, index: {} };
    await world.readStore.put([
      { ...place, key: String(two?.key), doc: { ...two?.doc, reason: 'another' } },
      goneChange(scope, String(three?.key)),
      { ...place, key: `${three?.key}x`, doc: { ...three?.doc } },
      { collection: feedsCollection, scope: ['-'], key: `${orgId}/agent_1`, revision: 9, doc: null, index: {} },
    ]);
    expect(await check()).toMatchObject([
      {
        matches: false,
        differences: [
          { key: two?.key, what: 'different' },
          { key: three?.key, what: 'missing' },
          { key: `${three?.key}x`, what: 'left over' },
        ],
      },
      { collection: feedsCollection, matches: false, differences: [{ key: `${orgId}/agent_1`, what: 'missing' }] },
    ]);
    await projector.onApplicationShutdown();
  });
});
