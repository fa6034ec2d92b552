import { type IssuedKey, Client, person, unique } from '../harness/index.js';

interface Me {
  principal: { id: string; kind: string; state: string };
  api_key: { id: string; name: string; expires_at: string | null };
  organization: { id: string; name: string };
  permissions: string[];
}

const api = Client.owner();

describe('rule A35: GET /v1/me', () => {
  it('rule A35: says who a key without principal is, with what its role leaves', async () => {
    const owner = await api.get<Me>('/v1/me');
    expect(owner.principal).toMatchObject({ kind: 'system', state: 'active' });
    expect(owner.organization).toEqual({
      id: expect.stringMatching(/^org_/) as string,
      name: expect.any(String) as string,
    });
    expect(owner.permissions).toEqual(
      expect.arrayContaining(['svc.org.admin', 'svc.job.execute', 'actions.execute.*']),
    );
    const issued = await api.post<IssuedKey>(
      '/v1/api-keys',
      { name: unique('viewer'), role: 'Viewer', expires_at: '2120-01-01T00:00:00Z' },
      201,
    );
    expect(await api.as(issued.key).get<Me>('/v1/me')).toEqual({
      principal: owner.principal,
      organization: owner.organization,
      permissions: ['svc.resource.view'],
      api_key: { id: issued.id, name: issued.name, expires_at: '2120-01-01T00:00:00.000Z' },
    });
  });

  it('rule A35: says what a person may now, and answers a key without any permission', async () => {
    const ann = await person(api);
    const before = await ann.client.get<Me>('/v1/me');
    expect(before).toMatchObject({ principal: { id: ann.id, kind: 'human' }, api_key: { expires_at: null } });
    expect(before.permissions).toEqual([
      'actions.execute.*',
      'svc.resource.build',
      'svc.resource.use',
      'svc.resource.view',
    ]);
    const { id } = await api.post<{ id: string }>('/v1/principals', { name: unique('bare'), kind: 'service' }, 201);
    const bare = await api.post<IssuedKey>(
      '/v1/api-keys',
      { name: unique('bare'), principal_id: id, allow_unassigned_principal: true },
      201,
    );
    expect(await api.as(bare.key).get<Me>('/v1/me')).toMatchObject({ principal: { id }, permissions: [] });
    await api.as(bare.key).refused('permission_denied', 'GET', '/v1/agents');
    await api.as(null).refused('unauthorized', 'GET', '/v1/me');
  });
});
