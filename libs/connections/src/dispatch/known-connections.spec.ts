import { StoreUnavailable, collectionOf } from '@aos/kernel';
import { MemoryReadStore } from '@aos/adapters/memory';
import { connectionsProjection } from '../connection/connection.projection.js';
import { KnownConnections } from './known-connections.js';

describe('TE133: the connections of a provider while the read store does not answer', () => {
  async function known() {
    const store = new MemoryReadStore();
    const row = { collection: collectionOf(connectionsProjection), scope: ['org_1'], key: 'conn_1', revision: 0 };
    const index = { created: 'x', owner: 'team', provider: 'tracker' };
    await store.put([{ ...row, doc: {}, index }]);
    return { store, connections: new KnownConnections(store) };
  }

  test('are those that it gave last', async () => {
    const { store, connections } = await known();
    expect(await connections.of('org_1', 'tracker')).toEqual({ ids: ['conn_1'], isRemembered: false });
    jest.spyOn(store, 'query').mockRejectedValue(new StoreUnavailable('gone for now'));
    expect(await connections.of('org_1', 'tracker')).toEqual({ ids: ['conn_1'], isRemembered: true });
  });

  test('are unknown at a provider that this process has not met, and for another organization', async () => {
    const { store, connections } = await known();
    await connections.of('org_1', 'tracker');
    jest.spyOn(store, 'query').mockRejectedValue(new StoreUnavailable('gone for now'));
    await expect(connections.of('org_1', 'mail')).rejects.toThrow(StoreUnavailable);
    await expect(connections.of('org_2', 'tracker')).rejects.toThrow(StoreUnavailable);
  });

  test('are not taken from before when the store says something else than that it is away', async () => {
    const { store, connections } = await known();
    await connections.of('org_1', 'tracker');
    jest.spyOn(store, 'query').mockRejectedValue(new Error('a fault'));
    await expect(connections.of('org_1', 'tracker')).rejects.toThrow('a fault');
  });
});
