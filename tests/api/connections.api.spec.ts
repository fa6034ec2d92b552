import { Client, type Page, createAgent, person, unique } from '../harness/index.js';

interface Connection {
  id: string;
  name: string;
  kind: string;
  hosts: string[];
  owner: { kind: string; id: string | null };
  status: string;
  headers?: string[];
  header?: string;
  format?: string;
  grants: { principal_ids: string[]; everyone: boolean; actions: object[] };
  signing_secret?: string;
}
type Body = Record<string, unknown>;

const api = Client.owner();
const hosts = ['https://api.example.com'];
const secret = 'a-secret-of-the-account';
const team = { kind: 'team' };

const make = (fields: Body = {}, client = api) =>
  client.post<Connection>(
    '/v1/connections',
    { name: unique('conn'), kind: 'api_key', hosts, secret, owner: team, ...fields },
    201,
  );
const refusedToMake = (fields: Body, client = api, code = 'invalid_argument') =>
  client.refused(code, 'POST', '/v1/connections', {
    body: { name: 'x', kind: 'api_key', hosts, secret, owner: team, ...fields },
  });

describe('connections', () => {
  it('TE20: a connection shows what was given, but never its secret', async () => {
    const made = await make({ provider: 'example', header: 'X-Api-Key', format: 'Key {secret}' });
    expect(made).toMatchObject({
      kind: 'api_key',
      provider: 'example',
      header: 'X-Api-Key',
      format: 'Key {secret}',
      hosts,
      owner: { kind: 'team', id: null },
      status: 'active',
      grants: { principal_ids: [], everyone: false, actions: [] },
    });
    expect(made.id).toMatch(/^conn_/);
    const read = await api.get<Connection>(`/v1/connections/${made.id}`);
    expect(read).toEqual(made);
    expect(JSON.stringify([made, read])).not.toContain(secret);
    const plain = await make();
    expect(plain).toMatchObject({ header: 'Authorization', format: '{secret}' });
  });

  it('TE20: each kind has its fields', async () => {
    const basic = await make({ kind: 'basic', username: 'shop' });
    expect(basic).toMatchObject({ kind: 'basic', username: 'shop' });
    const values = { 'X-App': 'first-value-1', 'X-Key': 'second-value-2' };
    const headers = await make({ kind: 'headers', headers: values, secret: 'x' });
    expect(headers.headers).toEqual(['X-App', 'X-Key']);
    expect(JSON.stringify(headers)).not.toContain('first-value-1');
    const hook = await make({ kind: 'channel_webhook', url: 'https://api.example.com/bridge', secret: undefined });
    expect(hook.signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await api.get(`/v1/connections/${hook.id}`)).not.toHaveProperty('signing_secret');
    const mail = await make({ kind: 'smtp', username: 'shop', hosts: ['smtp.example.com:587'] });
    expect(mail.hosts).toEqual(['smtp.example.com:587']);
  });

  it('TE20: secrets and headers that cannot be used are refused', async () => {
    for (const bad of [
      'short',
      '    x    ',
      `   ${'y'.repeat(7)}`,
      'x'.repeat(8193),
      'line one\nline two',
      'with a \0 in it',
      'with a \r in it',
    ])
      expect(await refusedToMake({ secret: bad })).toMatchObject({ argument: 'secret' });
    expect(await refusedToMake({ secret: undefined })).toMatchObject({ argument: 'secret' });
    for (const header of [
      'Cookie',
      'Host',
      'Content-Type',
      'X-Svc-Signature',
      'idempotency-key',
      'no header',
      '__proto__',
    ])
      expect(await refusedToMake({ header })).toMatchObject({ argument: 'header' });
    expect(await refusedToMake({ format: 'Bearer' })).toMatchObject({ argument: 'format' });
    expect(await refusedToMake({ kind: 'headers', headers: { Cookie: 'a-secret-value' } })).toMatchObject({
      argument: 'headers',
    });
    expect(await refusedToMake({ kind: 'headers', headers: { 'X-A': '  short  ' } })).toMatchObject({
      argument: 'headers',
    });
    expect(await refusedToMake({ kind: 'basic' })).toMatchObject({ argument: 'username' });
    await api.refused('bad_request', 'POST', '/v1/connections', {
      body: { name: 'x', kind: 'api_key', hosts, secret, token: 'x' },
      invalid: true,
    });
  });

  it('TE21: hosts are origins that may be called', async () => {
    const made = await make({
      hosts: ['HTTPS://API.Example.com:443', 'https://api.example.com', 'https://b.example.com:8443'],
    });
    expect(made.hosts).toEqual(['https://api.example.com', 'https://b.example.com:8443']);
    for (const host of [
      'http://api.example.com',
      'https://api.example.com/',
      'https://api.example.com/v1',
      'https://user@api.example.com',
      'https://*.example.com',
      'https://127.0.0.1',
      'https://[::1]',
      'ftp://api.example.com',
      'api.example.com',
    ])
      expect(await refusedToMake({ hosts: [host] })).toMatchObject({ argument: 'hosts' });
    expect(await refusedToMake({ hosts: undefined })).toMatchObject({ argument: 'hosts' });
    for (const host of ['smtp.example.com:26', 'smtp.example.com', '127.0.0.1:25'])
      expect(await refusedToMake({ kind: 'smtp', username: 'u', hosts: [host] })).toMatchObject({ argument: 'hosts' });
    expect(await refusedToMake({ kind: 'channel_webhook', url: 'https://other.example.com/bridge' })).toMatchObject({
      argument: 'url',
    });
  });

  it('TE20: a connection is its owner’s, or the team’s that administrators change', async () => {
    const [ann, bob] = [await person(api), await person(api)];
    const provider = unique('prov').toLowerCase();
    const own = await make({ owner: undefined, provider }, ann.client);
    expect(own.owner).toEqual({ kind: 'person', id: ann.id });
    for (const client of [api, bob.client]) {
      await client.refused('not_found', 'GET', `/v1/connections/${own.id}`);
      await client.refused('not_found', 'PATCH', `/v1/connections/${own.id}`, { body: { name: 'mine' } });
      await client.refused('not_found', 'DELETE', `/v1/connections/${own.id}`);
      await client.refused('not_found', 'POST', `/v1/connections/${own.id}/rotate`, { body: { secret } });
      await client.refused('not_found', 'PUT', `/v1/connections/${own.id}/grants`, {
        body: { principal_ids: [], everyone: false },
      });
    }
    const teams = await make({ provider });
    expect((await bob.client.send('GET', `/v1/connections/${teams.id}`)).status).toBe(200);
    const viewer = await person(api, 'Viewer');
    await viewer.client.refused('not_found', 'GET', `/v1/connections/${teams.id}`);
    expect(
      await ann.client.refused('permission_denied', 'POST', '/v1/connections', {
        body: { name: 'x', kind: 'api_key', hosts, secret, owner: team },
      }),
    ).toMatchObject({ permission: 'svc.org.admin' });
    await ann.client.refused('permission_denied', 'PATCH', `/v1/connections/${teams.id}`, { body: { name: 'mine' } });
    expect(await refusedToMake({ owner: { kind: 'person', id: bob.id } }, ann.client)).toMatchObject({
      argument: 'owner',
    });
    expect(
      await refusedToMake({ owner: { kind: 'person' }, kind: 'smtp', hosts: ['smtp.example.com:25'] }, ann.client),
    ).toMatchObject({ argument: 'owner' });
    const listed = (await ann.client.get<Page<Connection>>('/v1/connections', { provider, limit: 100 })).items;
    expect(listed.map(({ id }) => id)).toEqual([own.id, teams.id]);
    const others = (await bob.client.get<Page<Connection>>('/v1/connections', { provider, limit: 100 })).items;
    expect(others.map(({ id }) => id)).toEqual([teams.id]);
  });

  it('lists by provider, in pages', async () => {
    const provider = unique('prov').toLowerCase();
    const made = [await make({ provider }), await make({ provider }), await make({ provider })];
    const first = await api.get<Page<Connection>>('/v1/connections', { provider, limit: 2 });
    expect(first.items.map(({ id }) => id)).toEqual(made.slice(0, 2).map(({ id }) => id));
    const rest = await api.get<Page<Connection>>('/v1/connections', {
      provider,
      limit: 2,
      cursor: first.next_cursor ?? undefined,
    });
    expect(rest).toMatchObject({ items: [{ id: made[2]?.id }], has_more: false });
  });

  it('changes, rotates and ends', async () => {
    const { id } = await make();
    expect(
      await api.patch(`/v1/connections/${id}`, {
        name: 'Other',
        hosts: ['https://b.example.com'],
        format: 'Bearer {secret}',
      }),
    ).toMatchObject({ name: 'Other', hosts: ['https://b.example.com'], format: 'Bearer {secret}' });
    expect(
      await api.refused('invalid_argument', 'PATCH', `/v1/connections/${id}`, { body: { header: 'Host' } }),
    ).toMatchObject({ argument: 'header' });
    const rotated = await api.post<Connection>(`/v1/connections/${id}/rotate`, { secret: 'another-secret' }, 200);
    expect(rotated).toMatchObject({ id, name: 'Other' });
    expect(JSON.stringify(rotated)).not.toContain('another-secret');
    expect(await api.refused('invalid_argument', 'POST', `/v1/connections/${id}/rotate`, { body: {} })).toMatchObject({
      argument: 'secret',
    });
    const hook = await make({ kind: 'channel_webhook', url: 'https://api.example.com/bridge' });
    const again = await api.post<Connection>(`/v1/connections/${hook.id}/rotate`, undefined, 200);
    expect(again.signing_secret).toMatch(/^whsec_/);
    expect(again.signing_secret).not.toBe(hook.signing_secret);
    await api.delete(`/v1/connections/${id}`);
    await api.refused('not_found', 'GET', `/v1/connections/${id}`);
    await api.refused('not_found', 'DELETE', `/v1/connections/${id}`);
    await api.refused('not_found', 'POST', `/v1/connections/${id}/rotate`, { body: { secret } });
    const listed = (await api.get<Page<Connection>>('/v1/connections', { limit: 100 })).items;
    expect(listed.map((one) => one.id)).not.toContain(id);
  });

  it('TE20: grants name who may use it', async () => {
    const agent = await createAgent(api, { name: unique('granted') });
    const { id } = await make();
    const put = (body: Body, client = api, of = id) => client.put<Connection>(`/v1/connections/${of}/grants`, body);
    expect((await put({ principal_ids: [agent.id], everyone: false })).grants).toMatchObject({
      principal_ids: [agent.id],
      everyone: false,
    });
    expect((await put({ principal_ids: [], everyone: true })).grants).toMatchObject({ everyone: true });
    expect(
      await api.refused('invalid_argument', 'PUT', `/v1/connections/${id}/grants`, {
        body: { principal_ids: ['agent_00000000000000000000000000'], everyone: false },
      }),
    ).toMatchObject({ argument: 'principal_ids' });
    const ann = await person(api);
    const own = await make({ owner: undefined }, ann.client);
    expect(
      await ann.client.refused('invalid_argument', 'PUT', `/v1/connections/${own.id}/grants`, {
        body: { principal_ids: [], everyone: true },
      }),
    ).toMatchObject({ argument: 'everyone' });
  });
});
