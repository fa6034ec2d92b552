import { StoreUnavailable, collectionOf } from '@aos/kernel';
import { MemoryReadStore } from '@aos/adapters/memory';
import { connectionsProjection } from '../connection/connection.projection.js';
import { KnownConnections, type Owner } from './known-connections.js';

const team: Owner = { kind: 'team', id: null };
const person = (n: number): Owner => ({ kind: 'person', id: `user_${n}` });
const rowOf = (id: string, owner: string) => ({
  collection: collectionOf(connectionsProjection),
  scope: ['org_1'],
  key: id,
  revision: 0,
  doc: {},
  index: { created: id, owner, provider: 'tracker' },
});

describe('TE23: the connections of a provider', () => {
  const store = new MemoryReadStore();
  const connections = new KnownConnections(store);
  const ids = (n: number) => `conn_${String(n).padStart(4, '0')}`;
  beforeAll(() => store.put(Array.from({ length: 1_000 }, (_, n) => rowOf(ids(n), n === 999 ? 'team' : `user_${n}`))));

  test("are those of a turn's person and of the team, among a thousand accounts of others", async () => {
    const found = await connections.of('org_1', 'tracker', [team, person(998)]);
    expect(found).toEqual({ ids: [ids(999), ids(998)], isRemembered: false });
    expect((await connections.of('org_1', 'tracker', [team])).ids).toEqual([ids(999)]);
  });

  test('are all of them for a direct invocation, which may be granted any', async () => {
    expect((await connections.of('org_1', 'tracker', null)).ids).toHaveLength(1_000);
  });
});

describe('TE133: the connections of a provider while the read store does not answer', () => {
  async function known() {
    const store = new MemoryReadStore();
    await store.put([rowOf('conn_1', 'team')]);
    return { store, connections: new KnownConnections(store) };
  }

  test('are those that it gave last', async () => {
    const { store, connections } = await known();
    expect(await connections.of('org_1', 'tracker', [team])).toEqual({ ids: ['conn_1'], isRemembered: false });
    jest.spyOn(store, 'query').mockRejectedValue(new StoreUnavailable('gone for now'));
    expect(await connections.of('org_1', 'tracker', [team])).toEqual({ ids: ['conn_1'], isRemembered: true });
  });

  test('are unknown at a provider that this process has not met, and for another organization', async () => {
    const { store, connections } = await known();
    await connections.of('org_1', 'tracker', [team]);
    jest.spyOn(store, 'query').mockRejectedValue(new StoreUnavailable('gone for now'));
    await expect(connections.of('org_1', 'mail', [team])).rejects.toThrow(StoreUnavailable);
    await expect(connections.of('org_2', 'tracker', [team])).rejects.toThrow(StoreUnavailable);
  });

  test('of a person that this process has not met may be missing beside those of the team', async () => {
    const { store, connections } = await known();
    await connections.of('org_1', 'tracker', [team]);
    jest.spyOn(store, 'query').mockRejectedValue(new StoreUnavailable('gone for now'));
    expect(await connections.of('org_1', 'tracker', [team, person(1)])).toEqual({
      ids: ['conn_1'],
      isRemembered: true,
    });
    await expect(connections.of('org_1', 'tracker', [person(1)])).rejects.toThrow(StoreUnavailable);
  });

  test('are not taken from before when the store says something else than that it is away', async () => {
    const { store, connections } = await known();
    await connections.of('org_1', 'tracker', [team]);
    jest.spyOn(store, 'query').mockRejectedValue(new Error('a fault'));
    await expect(connections.of('org_1', 'tracker', [team])).rejects.toThrow('a fault');
  });
});
