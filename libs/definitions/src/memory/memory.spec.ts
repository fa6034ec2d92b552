import { given } from '@aos/kernel/testing';
import {
  admin,
  backend,
  expectContract,
  newWorld,
  orgId,
  otherPerson,
  person,
} from '../testing/definitions.fixture.js';
import { tablesProcess } from '../testing/tables.fixture.js';
import { deleteEntry, saveEntry, type MemoryCommand } from './memory.decide.js';
import { memoryKind } from './memory.state.js';
import { memoryWire } from './memory.projection.js';
import { MemoryChanges } from './memory-changes.js';
import { changeRow, changesCollection } from './memory-changes.projection.js';
import { changesKeptMs, type DesiredMemory } from './memory.limits.js';
import type { MemoryChangeEvent } from './memory.events.js';

const stream = 'mem_00000000000000000000000001';
const command: MemoryCommand = {
  orgId,
  agentId: 'agent_1',
  userId: '',
  key: 'home',
  stream,
  reason: 'api',
  actorId: 'svc_1',
  deliveryId: null,
  at: '2026-01-01T00:00:00.000Z',
};
const save =
  (desired: DesiredMemory, more: Partial<MemoryCommand> = {}) =>
  (state: Parameters<typeof saveEntry>[1]) =>
    saveEntry({ ...command, ...more, desired }, state);
const created = save({ content: 'Oslo' }, { deliveryId: 'd1' })(memoryKind.initial())[0] as MemoryChangeEvent;

describe('memory entries', () => {
  it('are written whole, once for each delivery, and not at all when nothing differs', () => {
    given(memoryKind)
      .when(save({ content: 'x' }))
      .thenTypes('MemoryEntryCreated');
    given(memoryKind, created)
      .when(save({ content: 'Oslo' }))
      .thenNothing();
    given(memoryKind, created)
      .when(save({ content: 'other' }, { deliveryId: 'd1' }))
      .thenNothing();
    given(memoryKind, created)
      .when(save({ content: 'Bergen', pinned: true }))
      .thenState(({ entry }) =>
        expect(entry).toMatchObject({ id: stream, version: 2, wire: { content: 'Bergen', pinned: true } }),
      );
    given(memoryKind)
      .when((state) => deleteEntry(command, state))
      .thenNothing();
    given(memoryKind, created)
      .when((state) => deleteEntry(command, state))
      .thenTypes('MemoryEntryDeleted');
    given(memoryKind)
      .when(save({ content: '' }))
      .thenRefuses('bad_request');
    given(memoryKind)
      .when(save({ content: 'x' }, { key: 'a b' }))
      .thenRefuses('bad_request');
  });
});

const writers: Record<string, typeof backend> = { user_ann: person, user_bob: otherPerson };

describe('memory for models', () => {
  async function start() {
    const world = newWorld();
    const service = tablesProcess(world);
    const put = (key: string, body: DesiredMemory, userId = '') =>
      service.entries.save(
        { who: writers[userId] ?? backend, agentId: 'agent_1', userId, key, reason: 'remembered', deliveryId: null },
        body,
      );
    await put('low', { content: 'a'.repeat(200), importance: 10 });
    await put('high', { content: 'Lives in Oslo', summary: 'where', importance: 90 });
    await put('own', { content: 'Likes tea', kind: 'preference' }, 'user_ann');
    await put('hers', { content: 'Other person' }, 'user_bob');
    const text = (
      mode: 'index' | 'full' | 'off' | null,
      maxBytes?: number,
      userId: string | null = 'user_ann',
      enabled = true,
    ) =>
      service.memory.contextText(
        orgId,
        'agent_1',
        {
          memory_enabled: enabled,
          ...(mode ? { memory_context: { mode, ...(maxBytes === undefined ? {} : { max_bytes: maxBytes }) } } : {}),
        },
        userId,
      );
    return { world, service, text };
  }

  it("is told by policy, most important first, the shared and the person's own", async () => {
    const { text } = await start();
    const index = await text(null);
    expect(index.split('\n').map((line) => line.split(' ')[1])).toEqual(['high', 'own', 'low']);
    expect(index).toContain('- high [fact, importance 90]: where');
    expect(index).not.toContain('Oslo');
    expect(await text('full')).toContain('Lives in Oslo');
    expect(await text('full', 60)).toBe('## high [fact, importance 90]\nLives in Oslo\n(2 more entries)');
    expect(await text('index', undefined, null)).not.toContain('own');
    expect(await text('off')).toBe('');
    expect(await text('full', undefined, 'user_ann', false)).toBe('');
  });

  it('is cut between characters where an entry has no summary', async () => {
    const { service, text } = await start();
    const context = { who: backend, agentId: 'agent_1', userId: '', reason: 'api' as const, deliveryId: null };
    await service.entries.save({ ...context, key: 'odd' }, { content: `${'a'.repeat(139)}😀 and more` });
    expect(await text('index')).toContain(`]: ${'a'.repeat(139)}😀\n`);
  });

  it('has the shape of the contract', async () => {
    const { service } = await start();
    const entry = await service.memory.entry(backend, 'agent_1', '', 'high');
    expectContract('AgentMemoryEntry', entry ? memoryWire(entry) : null);
    expectContract('AgentMemory', await service.memory.summary(backend, 'agent_1'));
  });

  it("rule R46: a person's partition is that person's alone, for an administrator and other people too", async () => {
    const { service } = await start();
    const { memory, entries } = service;
    const keys = async (who: typeof backend) =>
      (await memory.list(who, 'agent_1', {})).entries.map(({ key }) => key).sort();
    expect([await keys(person), await keys(otherPerson), await keys(admin)]).toEqual([
      ['high', 'low', 'own'],
      ['hers', 'high', 'low'],
      ['high', 'low'],
    ]);
    const forAnn: typeof backend = { ...backend, kind: 'agent', principalId: 'agent_1', actsFor: person };
    expect(await keys(forAnn)).toEqual(['high', 'low', 'own']);
    expect(await memory.summary(admin, 'agent_1')).toMatchObject({ entry_count: 2, counts_by_kind: { fact: 2 } });
    const context = { who: admin, agentId: 'agent_1', userId: 'user_ann', reason: 'api' as const, deliveryId: null };
    for (const key of ['own', 'nothing']) {
      await expect(memory.entry(admin, 'agent_1', 'user_ann', key)).rejects.toMatchObject({ code: 'not_found' });
      await expect(entries.save({ ...context, key }, { content: 'x' })).rejects.toMatchObject({ code: 'not_found' });
      await expect(entries.delete({ ...context, key })).rejects.toMatchObject({ code: 'not_found' });
    }
    await expect(memory.list(otherPerson, 'agent_1', { user_id: 'user_ann' })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect((await memory.entry(person, 'agent_1', 'user_ann', 'own'))?.wire.content).toBe('Likes tea');
  });

  it('R37: a position of the feed expires after 30 days; one that is read now does not', async () => {
    const { world, service } = await start();
    const feed = new MemoryChanges(world.readStore, service.entries, service.seal, world.clock);
    const written = service.entries.lastWritten(backend.orgId);
    await world.readStore.commit({ projection: changesCollection, from: null, to: written, rows: [] });
    const at = (ms: number) => new Date(world.clock.now() + ms).toISOString();
    await world.readStore.put([
      changeRow(created, { id: 'e1', position: '01', recordedAt: at(0) }),
      changeRow(created, { id: 'e2', position: '02', recordedAt: at(0) }),
    ]);
    const first = await feed.page(backend, 'agent_1', { limit: 1 });
    expectContract('AgentMemoryChangeListResponse', first);
    world.clock.advance(changesKeptMs + 1000);
    await expect(feed.page(backend, 'agent_1', { after: String(first.next_cursor) })).rejects.toMatchObject({
      code: 'memory_cursor_expired',
    });
    const fresh = await feed.page(backend, 'agent_1', {});
    expect(fresh.items).toEqual([]);
    expect(await feed.page(backend, 'agent_1', { after: String(fresh.next_cursor) })).toMatchObject({
      items: [],
      has_more: false,
    });
  });
});
