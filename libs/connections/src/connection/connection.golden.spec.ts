import { expectGoldenStates, goldenOf } from '@aos/kernel/testing';
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

  it('follow an account from its flow to its end', () => {
    const oauth = (...types: Parameters<typeof golden.after>) => golden.after(...types).connection?.oauth;
    expect(oauth('AuthorizationBegun')?.flow).toMatchObject({ status: 'open', begun_by: 'user_1' });
    expect(oauth('AuthorizationBegun', 'CodeArrived')?.flow?.receipt_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(oauth('CodeArrived', 'CodeRedeemed')).toMatchObject({ attempt: 1, flow: { status: 'redeemed' } });
    expect(shown('CodeRedeemed', 'ConnectionAuthorized')).toMatchObject({ status: 'active', client_id: 'client_1' });
    expect(oauth('ConnectionAuthorized')).toMatchObject({ flow: null, provider_version: 1 });
    expect(oauth('CodeRedeemed', 'AuthorizationFailed')).toMatchObject({ flow: null });
    expect(oauth('ConnectionAuthorized', 'RefreshBegun')).toMatchObject({ refresh: { attempt: 2 } });
    for (const type of ['TokenRefreshed', 'RefreshFailed'] as const)
      expect([oauth('RefreshBegun', type)?.refresh, shown('RefreshBegun', type).status]).toEqual([null, 'active']);
    expect(shown('RefreshBegun', 'AuthorizationLost').status).toBe('needs_authorization');
    expect(JSON.stringify(shown('AuthorizationBegun'))).not.toContain('flow');
  });

  it('fold to the states that snapshots of this version hold', () => {
    const changes = ['ConnectionCreated', 'ConnectionChanged', 'ConnectionRotated', 'ConnectionGranted'] as const;
    const flow = ['AuthorizationBegun', 'CodeArrived', 'CodeRedeemed', 'ConnectionAuthorized'] as const;
    const refresh = ['RefreshBegun', 'TokenRefreshed', 'RefreshFailed', 'AuthorizationLost'] as const;
    const ends = ['AuthorizationFailed', 'ConnectionDeleted'] as const;
    const history = [...changes, ...flow, ...refresh, ...ends].map((type) => [golden.recorded(type)]);
    expectGoldenStates(__dirname, connectionKind, history);
  });

  it('stand in the lists until they are deleted', () => {
    const row = (...types: Parameters<typeof golden.after>) =>
      connectionsProjection.rows({ state: golden.after(...types), id: 'conn_1', revision: 1 })[0];
    expect(row('ConnectionCreated')?.index).toMatchObject({ owner: 'team', provider: 'github' });
    expect(row('ConnectionCreated', 'ConnectionDeleted')?.doc).toBeNull();
  });
});
