import { goldenOf } from '@aos/kernel/testing';
import { connectionsProjection } from './connection.projection.js';
import { connectionKind } from './connection.state.js';
import { connectionWire } from './connection.wire.js';

const golden = goldenOf(__dirname, connectionKind);
const shown = (...types: Parameters<typeof golden.after>) => {
  const { connection } = golden.after(...types);
  if (!connection) throw new Error('no record');
  return connectionWire(connection);
};

describe('recorded events of connections', () => {
  it('are all kept, at every version', () => {
    expect(golden.missing).toEqual([]);
  });

  it('say what they meant', () => {
    expect(shown('ConnectionCreated')).toMatchObject({ kind: 'api_key', status: 'active', header: 'Authorization' });
    expect(shown('ConnectionCreated')).not.toHaveProperty('username');
    expect(shown('ConnectionCreated', 'ConnectionChanged')).toMatchObject({ name: 'GitHub of the shop' });
    expect(golden.after('ConnectionCreated', 'ConnectionRotated').connection?.secret_version).toBe(2);
    expect(shown('ConnectionCreated', 'ConnectionGranted').grants.actions).toEqual([
      { principal_id: 'agent_1', name: 'issues.list', endpoint_url: 'https://api.github.com/issues' },
    ]);
    expect(golden.after('ConnectionCreated', 'ConnectionDeleted').connection?.deleted_at).not.toBeNull();
  });

  it('stand in the lists until they are deleted', () => {
    const row = (...types: Parameters<typeof golden.after>) =>
      connectionsProjection.rows({ state: golden.after(...types), id: 'conn_1', revision: 1 })[0];
    expect(row('ConnectionCreated')?.index).toMatchObject({ owner: 'team', provider: 'github' });
    expect(row('ConnectionCreated', 'ConnectionDeleted')?.doc).toBeNull();
  });
});
