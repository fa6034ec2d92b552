import { Client, type IssuedKey, createAgent, person, unique } from '../harness/index.js';

interface Groups {
  action_groups: { id: string; source: string; children: string[] }[];
  items: { id: string; user_kinds: string[]; assignable: boolean }[];
}

const api = Client.owner();
const role = async (...permissions: string[]): Promise<string> =>
  (await api.post<{ id: string }>('/v1/roles', { name: unique('role'), description: 'd', permissions }, 201)).id;
const principal = async (kind: string, role_ids: string[] = []): Promise<string> =>
  (
    await api.post<{ id: string }>(
      '/v1/principals',
      { name: unique(kind), kind, ...(role_ids.length > 0 ? { role_ids } : {}) },
      201,
    )
  ).id;
const keyOf = async (principalId: string): Promise<Client> =>
  api.as((await api.post<IssuedKey>('/v1/api-keys', { name: unique('key'), principal_id: principalId }, 201)).key);

describe('rule A32: a role is assigned only where its permissions can be held', () => {
  const wrong: [string, string][] = [
    ['worker', 'svc.resource.build'],
    ['worker', 'actions.execute.*'],
    ['human', 'svc.job.execute'],
  ];

  it.each(wrong)('rule A32: to a %s no role with %s, on whichever way', async (kind, permission) => {
    const roleId = await role('svc.resource.view', permission);
    expect(
      await api.refused('invalid_argument', 'POST', '/v1/principals', {
        body: { name: unique(kind), kind, role_ids: [roleId] },
      }),
    ).toMatchObject({ permission });
    const id = await principal(kind);
    expect(
      await api.refused('invalid_argument', 'PATCH', `/v1/principals/${id}`, { body: { role_ids: [roleId] } }),
    ).toMatchObject({ permission });
    expect(
      await api.refused('invalid_argument', 'POST', '/v1/role-assignments', {
        body: { principal_id: id, role_id: roleId },
      }),
    ).toMatchObject({ permission });
    expect((await api.get<{ role_ids: string[] }>(`/v1/principals/${id}`)).role_ids).toEqual([]);
  });

  it('rule A32: to an agent no role that builds', async () => {
    const agent = await createAgent(api);
    const roleId = await role('svc.resource.build');
    expect(
      await api.refused('invalid_argument', 'POST', '/v1/role-assignments', {
        body: { principal_id: agent.id, role_id: roleId },
      }),
    ).toMatchObject({ permission: 'svc.resource.build' });
    expect(
      await api.refused('invalid_argument', 'PATCH', `/v1/principals/${agent.id}`, { body: { role_ids: [roleId] } }),
    ).toMatchObject({ permission: 'svc.resource.build' });
  });

  it('rule A32: a system role is held by every kind, and what the kind cannot hold of it counts for nothing', async () => {
    const id = await principal('worker');
    await api.post('/v1/role-assignments', { principal_id: id, role_name: 'User' }, 201);
    const worker = await keyOf(id);
    await worker.get('/v1/agents');
    expect(
      await worker.refused('permission_denied', 'POST', '/v1/skills', {
        body: { name: unique('skill'), instructions: 'x' },
      }),
    ).toEqual({ permission: 'svc.resource.build' });
    const agent = await createAgent(api);
    await api.post('/v1/role-assignments', { principal_id: agent.id, role_name: 'Admin' }, 201);
  });

  it('rule A32: what a role is given later counts only for those who can hold it; the role may stay', async () => {
    const roleId = await role('svc.resource.use');
    const id = await principal('worker', [roleId]);
    const worker = await keyOf(id);
    await api.patch(`/v1/roles/${roleId}`, {
      permissions: ['svc.resource.use', 'svc.resource.build', 'svc.org.admin'],
    });
    expect(
      await worker.refused('permission_denied', 'POST', '/v1/skills', {
        body: { name: unique('skill'), instructions: 'x' },
      }),
    ).toEqual({ permission: 'svc.resource.build' });
    expect(await worker.refused('permission_denied', 'GET', '/v1/audit')).toEqual({ permission: 'svc.org.admin' });
    await worker.get('/v1/agents');
    expect(
      (await api.patch<{ role_ids: string[] }>(`/v1/principals/${id}`, { role_ids: [roleId], description: 'still' }))
        .role_ids,
    ).toEqual([roleId]);
  });

  it('rule A32: an Owner gives machines their role, which the Owner as a person does not use', async () => {
    const owner = await person(api, 'Owner');
    const id = await principal('worker');
    await owner.client.post('/v1/role-assignments', { principal_id: id, role_name: 'Worker' }, 201);
    const other = await principal('human');
    await owner.client.post('/v1/role-assignments', { principal_id: other, role_name: 'Owner' }, 201);
  });
});

describe('rules A17, A19: the permission catalog names the actions there are', () => {
  it('built-ins, dotted families and plain names, as their caller sees them', async () => {
    const family = unique('acme').replaceAll('-', '');
    const ann = await person(api);
    const action = async (client: Client, name: string, fields: Record<string, unknown> = {}) => {
      await client.post('/v1/actions', { name, endpoint_url: 'https://example.invalid/hook', ...fields }, 201);
      return name;
    };
    const plain = await action(api, unique('plain'));
    await action(api, `${family}.post`);
    await action(api, `${family}.list`);
    const hidden = await action(ann.client, unique('hidden'), { visibility: 'private' });
    const { action_groups: groups, items } = await api.get<Groups>('/v1/permissions');
    const group = (id: string) => groups.find((one) => one.id === id);
    expect(group('actions.execute.svc.*')).toMatchObject({
      source: 'platform',
      children: expect.arrayContaining(['actions.execute.svc.table.save_row']) as string[],
    });
    expect(group(`actions.execute.${family}.*`)).toMatchObject({
      source: 'custom',
      children: [`actions.execute.${family}.list`, `actions.execute.${family}.post`],
    });
    expect(group('actions.execute.custom.*')).toMatchObject({ source: 'custom' });
    expect(items.find(({ id }) => id === `actions.execute.custom.${plain}`)).toMatchObject({
      assignable: true,
      user_kinds: ['human', 'service', 'system'],
    });
    expect(JSON.stringify([groups, items])).not.toContain(hidden);
    expect(JSON.stringify(await ann.client.get<Groups>('/v1/permissions'))).toContain(hidden);
    await role(`actions.execute.${family}.*`, `actions.execute.custom.${plain}`);
  });
});
