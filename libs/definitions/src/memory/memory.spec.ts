import { given } from '@aos/kernel/testing';
import { backend, expectContract, newWorld, orgId } from '../testing/definitions.fixture.js';
import { tablesProcess } from '../testing/tables.fixture.js';
import { deleteEntry, saveEntry, type MemoryCommand } from './memory.decide.js';
import { memoryKind } from './memory.state.js';
import { memoryOnWire } from './memory.projection.js';
import { MemoryChanges } from './memory-changes.js';
import { changeRow } from './memory-changes.projection.js';
import { changesKeptMs, type DesiredMemory } from './memory.limits.js';
import type { MemoryChangeEvent } from './memory.events.js';

const stream = 'mem_00000000000000000000000001';
const command: MemoryCommand = {
  orgId, agentId: 'agent_1', userId: '', key: 'home', stream, reason: 'api', actorId: 'svc_1', deliveryId: null, at: '2026-01-01T00:00:00.000Z',
};
const save = (desired: DesiredMemory, more: Partial<MemoryCommand> = {}) => (state: Parameters<typeof saveEntry>[2]) => saveEntry({ ...command, ...more }, desired, state);
const created = save({ content: 'Oslo' }, { deliveryId: 'd1' })(memoryKind.initial())[0] as MemoryChangeEvent;

describe('memory entries', () => {
  it('are written whole, once for each delivery, and not at all when nothing differs', () => {
    given(memoryKind).when(save({ content: 'x' })).thenTypes('MemoryEntryCreated');
    given(memoryKind, created).when(save({ content: 'Oslo' })).thenNothing();
    given(memoryKind, created).when(save({ content: 'other' }, { deliveryId: 'd1' })).thenNothing();
    given(memoryKind, created).when(save({ content: 'Bergen', pinned: true })).thenState(({ entry }) => expect(entry).toMatchObject({ id: stream, version: 2, wire: { content: 'Bergen', pinned: true } }));
    given(memoryKind).when((state) => deleteEntry(command, state)).thenNothing();
    given(memoryKind, created).when((state) => deleteEntry(command, state)).thenTypes('MemoryEntryDeleted');
    given(memoryKind).when(save({ content: '' })).thenRefuses('bad_request');
    given(memoryKind).when(save({ content: 'x' }, { key: 'a b' })).thenRefuses('bad_request');
  });
});

describe('memory for models', () => {
  async function start() {
    const world = newWorld();
    const service = tablesProcess(world);
    const put = (key: string, body: DesiredMemory, userId = '') => service.entries.save({ who: backend, agentId: 'agent_1', userId, key, reason: 'remembered', deliveryId: null }, body);
    await put('low', { content: 'a'.repeat(200), importance: 10 });
    await put('high', { content: 'Lives in Oslo', summary: 'where', importance: 90 });
    await put('own', { content: 'Likes tea', kind: 'preference' }, 'user_ann');
    await put('hers', { content: 'Other person' }, 'user_bob');
    const text = (mode: 'index' | 'full' | 'off' | null, maxBytes?: number, userId: string | null = 'user_ann', enabled = true) => service.memory.contextText(
      orgId, 'agent_1', { memory_enabled: enabled, ...(mode ? { memory_context: { mode, ...(maxBytes === undefined ? {} : { max_bytes: maxBytes }) } } : {}) }, userId,
    );
    return { world, service, text };
  }

  it('is told by policy, most important first, the shared and the person\'s own', async () => {
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

  it('has the shape of the contract', async () => {
    const { service } = await start();
    const entry = await service.memory.entry(orgId, 'agent_1', '', 'high');
    expectContract('AgentMemoryEntry', entry ? memoryOnWire(entry) : null);
    expectContract('AgentMemory', await service.memory.summary(orgId, 'agent_1'));
  });

  it('R37: a position of the feed expires after 30 days; one that is read now does not', async () => {
    const { world, service } = await start();
    const feed = new MemoryChanges(world.readStore, service.entries, service.seal, world.clock);
    service.entries.lastWritten = '';
    const at = (ms: number) => new Date(world.clock.now() + ms).toISOString();
    await world.readStore.put([changeRow(created, { id: 'e1', position: '01', recordedAt: at(0) }), changeRow(created, { id: 'e2', position: '02', recordedAt: at(0) })]);
    const first = await feed.page(orgId, 'agent_1', { limit: 1 });
    expectContract('AgentMemoryChangeListResponse', first);
    world.clock.advance(changesKeptMs + 1000);
    await expect(feed.page(orgId, 'agent_1', { after: String(first.next_cursor) })).rejects.toMatchObject({ code: 'memory_cursor_expired' });
    const fresh = await feed.page(orgId, 'agent_1', {});
    expect(fresh.items).toEqual([]);
    expect(await feed.page(orgId, 'agent_1', { after: String(fresh.next_cursor) })).toMatchObject({ items: [], has_more: false });
  });
});
