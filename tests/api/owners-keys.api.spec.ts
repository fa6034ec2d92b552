import {
  type Answer,
  type ErrorBody,
  type IssuedKey,
  Client,
  anotherOwner,
  callerWith,
  person,
  unique,
} from '../harness/index.js';

const api = Client.owner();
const keyFor = (principal_id: string) => ({ name: unique('key'), principal_id });
const issued = (client: Client, body: Record<string, unknown>): Promise<IssuedKey> =>
  client.post<IssuedKey>('/v1/api-keys', body, 201);
const revoking = (client: Client, keyId: string): Promise<Answer<unknown>> =>
  client.send('DELETE', `/v1/api-keys/${keyId}`);

describe('rule A31: keys of persons', () => {
  it('rule A31: one for a person is issued by that person or an Owner, by no other', async () => {
    const [ann, admin, owner] = [await person(api, 'Admin'), await person(api, 'Admin'), await person(api, 'Owner')];
    await issued(ann.client, keyFor(ann.id));
    await issued(owner.client, keyFor(ann.id));
    for (const client of [admin.client, await callerWith(api, 'Admin')]) {
      await client.refused('permission_denied', 'POST', '/v1/api-keys', { body: keyFor(ann.id) });
      const machine = await client.post<{ id: string }>(
        '/v1/principals',
        { name: unique('machine'), kind: 'service' },
        201,
      );
      await issued(client, { ...keyFor(machine.id), allow_unassigned_principal: true });
    }
  });

  it("rule A30: a key that acts as a person's private or restricted agent is issued within its reach alone", async () => {
    const [ann, ben] = [await person(api, 'Admin'), await person(api, 'Admin')];
    const agent = (body: Record<string, unknown>) =>
      ann.client.post<{ id: string }>('/v1/agents', { name: unique('agent'), ...body }, 201);
    const [own, shared, all] = [
      await agent({}),
      await agent({ visibility: 'restricted', members: [ben.id] }),
      await agent({ visibility: 'organization' }),
    ];
    for (const client of [ben.client, await callerWith(api, 'Admin'), api]) {
      expect(await client.refused('permission_denied', 'POST', '/v1/api-keys', { body: keyFor(own.id) })).toEqual({
        principal_id: own.id,
      });
      await issued(client, keyFor(all.id));
    }
    await api.refused('permission_denied', 'POST', '/v1/api-keys', { body: keyFor(shared.id) });
    await issued(ben.client, keyFor(shared.id));
    const key = await issued(ann.client, keyFor(own.id));
    expect((await api.as(key.key).get<{ id: string }>(`/v1/agents/${own.id}`)).id).toBe(own.id);
  });

  it("rule A31: an Owner's key is revoked by an Owner alone; a key that is capped below Owner is none", async () => {
    const [admin, owner, other] = [await person(api, 'Admin'), await person(api, 'Owner'), await person(api, 'Owner')];
    const roles = await api.get<{ items: { id: string; name: string }[] }>('/v1/roles');
    const capped = await issued(owner.client, {
      ...keyFor(owner.id),
      scope_role_id: roles.items.find(({ name }) => name === 'Admin')?.id,
    });
    const key = await issued(owner.client, keyFor(owner.id));
    const organizations = await issued(api, { name: unique('key'), role: 'Owner' });
    for (const client of [admin.client, await callerWith(api, 'Admin'), api.as(capped.key)]) {
      for (const { id } of [key, organizations]) expect((await revoking(client, id)).status).toBe(403);
    }
    await api.as(capped.key).refused('permission_denied', 'POST', '/v1/api-keys', { body: keyFor(admin.id) });
    for (const { id } of [key, organizations]) expect((await revoking(other.client, id)).status).toBe(204);
    await api.as(key.key).refused('unauthorized', 'GET', '/v1/agents');
    const plain = await issued(api, { name: unique('key'), role: 'Viewer' });
    expect((await revoking(admin.client, plain.id)).status).toBe(204);
  });

  it('rules A16, A31: the last key that acts as Owner stays, also when two are revoked at once', async () => {
    const first = anotherOwner(unique('Other'));
    const {
      items: [own],
    } = await first.get<{ items: IssuedKey[] }>('/v1/api-keys');
    const firstId = own?.id ?? '';
    await issued(first, { name: unique('key'), role: 'Admin' });
    expect(await first.refused('last_owner', 'DELETE', `/v1/api-keys/${firstId}`)).toEqual({});
    for (let round = 0; round < 5; round += 1) {
      const made = await issued(first, { name: unique('key'), role: 'Owner' });
      const second = first.as(made.key);
      const answers = await Promise.all([revoking(first, made.id), revoking(second, firstId)]);
      const alive = [first, second].filter((_client, index) => answers[1 - index]?.status !== 204);
      expect(alive.length).toBeGreaterThan(0);
      const [left] = alive;
      const { items } = (await left?.get<{ items: (IssuedKey & { org_role: string })[] }>('/v1/api-keys')) ?? {
        items: [],
      };
      const owners = items.filter(({ org_role: role }) => role === 'Owner');
      expect(owners.length).toBeGreaterThan(0);
      if (left !== first) return;
    }
    const codes = (await revoking(first, firstId)).body as ErrorBody;
    expect(codes.error.code).toBe('last_owner');
  });

  it("rule A31: a person who is an Owner may revoke the organization's key, and then their own last one no more", async () => {
    const first = anotherOwner(unique('Other'));
    const {
      items: [own],
    } = await first.get<{ items: IssuedKey[] }>('/v1/api-keys');
    const owner = await person(first, 'Owner');
    expect((await revoking(owner.client, own?.id ?? '')).status).toBe(204);
    const { items } = await owner.client.get<{ items: IssuedKey[] }>('/v1/api-keys');
    expect(items).toHaveLength(1);
    await owner.client.refused('last_owner', 'DELETE', `/v1/api-keys/${items[0]?.id}`);
  });

  it('rules A16, A32: a worker that has the role Owner is none, and neither is an agent: the last one that can administer stays', async () => {
    const first = anotherOwner(unique('Other'));
    const {
      items: [own],
    } = await first.get<{ items: IssuedKey[] }>('/v1/api-keys');
    const owner = await person(first, 'Owner');
    const worker = await first.post<{ id: string }>('/v1/principals', { name: unique('worker'), kind: 'worker' }, 201);
    const agent = await first.post<{ id: string }>(
      '/v1/agents',
      { name: unique('agent'), visibility: 'organization' },
      201,
    );
    for (const { id } of [worker, agent])
      await first.post('/v1/role-assignments', { principal_id: id, role_name: 'Owner' }, 201);
    const workers = await issued(first, keyFor(worker.id));
    const { items } = await first.get<{ items: { id: string }[] }>(`/v1/role-assignments?principal_id=${owner.id}`);
    await first.refused('last_owner', 'DELETE', `/v1/role-assignments/${items[0]?.id}`);
    await first.refused('last_owner', 'PATCH', `/v1/principals/${owner.id}`, { body: { state: 'disabled' } });
    expect((await revoking(owner.client, own?.id ?? '')).status).toBe(204);
    const keys = await owner.client.get<{ items: (IssuedKey & { principal_id: string })[] }>('/v1/api-keys');
    const last = keys.items.find(({ principal_id: id }) => id === owner.id);
    await owner.client.refused('last_owner', 'DELETE', `/v1/api-keys/${last?.id}`);
    const admin = await person(owner.client, 'Admin');
    expect((await revoking(admin.client, workers.id)).status).toBe(204);
  });
});
