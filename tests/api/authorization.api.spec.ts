import { randomBytes } from 'node:crypto';
import {
  ActionServer,
  Client,
  OAuthIssuer,
  anotherOwner,
  eventually,
  person,
  unique,
  type ActionScript,
} from '../harness/index.js';

interface Connection {
  id: string;
  status: string;
  hosts: string[];
}
interface Begun {
  authorization_url: string;
  expires_at: string;
}

const returnOrigin = 'https://app.example.com';
const returnTo = `${returnOrigin}/back?tab=accounts`;
const callback = '/v1/oauth/callback';

const api = anotherOwner(unique('OAuth'));
let server: ActionServer;
let issuer: OAuthIssuer;
let provider = '';

const origin = () => new URL(server.at('/', () => ({}))).origin;
const freshName = () => unique('prov').toLowerCase();
const saveProvider = (name: string, more: object = {}) =>
  api.put(`/v1/providers/${name}`, { ...issuer.provider([origin()]), ...more }, 200);

/** An account of the caller's own that waits for its authorization. */
const connect = (client: Client, of = provider, fields: object = {}) =>
  client.post<Connection>(
    '/v1/connections',
    { name: unique('account'), kind: 'oauth2_authorization_code', provider: of, ...fields },
    201,
  );
const begin = (client: Client, { id }: { id: string }) =>
  client.post<Begun>(`/v1/connections/${id}/authorize`, { return_to: returnTo }, 200);
const complete = (client: Client, { id }: { id: string }, receipt: string) =>
  client.post<Connection>(`/v1/connections/${id}/authorize/complete`, { receipt }, 200);
const refusedReceipt = (client: Client, { id }: { id: string }, receipt: string) =>
  client.refused('conflict', 'POST', `/v1/connections/${id}/authorize/complete`, { body: { receipt } });

/** The browser at the callback, without a key; gives the status and where it is led. */
async function comeBack(search: string): Promise<{ status: number; location: URL | null; headers: Headers }> {
  const response = await fetch(`${api.baseUrl}${callback}${search}`, { redirect: 'manual' });
  await response.arrayBuffer();
  const location = response.headers.get('location');
  return { status: response.status, location: location === null ? null : new URL(location), headers: response.headers };
}

/** Through the provider and back; gives the receipt. */
async function receiptOf(client: Client, connection: Connection): Promise<string> {
  const { authorization_url: url } = await begin(client, connection);
  const { location } = await comeBack((await issuer.visit(url)).search);
  const receipt = location?.searchParams.get('receipt');
  if (!receipt) throw new Error(`no receipt at ${String(location)}`);
  return receipt;
}

async function authorized(client: Client, of = provider): Promise<Connection> {
  const connection = await connect(client, of);
  return complete(client, connection, await receiptOf(client, connection));
}

const refusedCallback = async (search: string) =>
  expect(await comeBack(search)).toMatchObject({ status: 404, location: null });

beforeAll(async () => {
  server = await ActionServer.start();
  await api.put('/v1/organization/oauth-return-origins', { origins: [returnOrigin] });
  const probe = freshName();
  const nowhere = 'https://issuer.invalid';
  await api.put(`/v1/providers/${probe}`, {
    client_id: 'c',
    client_secret: 'canary-of-the-probe',
    issuer: nowhere,
    authorization_endpoint: `${nowhere}/authorize`,
    token_endpoint: `${nowhere}/token`,
    hosts: [nowhere],
  });
  const asked = await begin(api, await connect(api, probe, { owner: { kind: 'team' } }));
  issuer = await OAuthIssuer.start(new URL(asked.authorization_url).searchParams.get('redirect_uri') ?? '');
  provider = freshName();
  await saveProvider(provider);
});
afterAll(async () => {
  await issuer.close();
  await server.close();
});

describe('authorization code (rule TE26)', () => {
  it('TE26: begins at the provider with PKCE S256 and a sealed state, and waits for its owner until it is complete', async () => {
    const ann = await person(api);
    const connection = await connect(ann.client);
    expect(connection).toMatchObject({ status: 'needs_authorization', hosts: [origin()] });
    const { authorization_url, expires_at } = await begin(ann.client, connection);
    const query = new URL(authorization_url).searchParams;
    expect(Object.fromEntries(query)).toMatchObject({
      response_type: 'code',
      client_id: issuer.clientId,
      scope: 'openid',
      code_challenge_method: 'S256',
    });
    expect(query.get('code_challenge')).toMatch(/^[\w-]{43}$/);
    expect(query.get('redirect_uri')).toMatch(/\/v1\/oauth\/callback$/);
    expect(authorization_url).not.toContain(connection.id);
    expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(10 * 60_000 + 5_000);
    const back = await comeBack((await issuer.visit(authorization_url)).search);
    expect(back.status).toBe(303);
    expect(back.headers.get('cache-control')).toBe('no-store');
    expect(`${back.location?.origin}${back.location?.pathname}`).toBe(`${returnOrigin}/back`);
    const led = Object.fromEntries(back.location?.searchParams ?? []);
    expect(Object.keys(led).sort()).toEqual(['connection_id', 'receipt', 'tab']);
    expect(led.connection_id).toBe(connection.id);
    expect(await ann.client.get(`/v1/connections/${connection.id}`)).toMatchObject({ status: 'needs_authorization' });
    expect(await complete(ann.client, connection, led.receipt ?? '')).toMatchObject({ status: 'active' });
  });

  it('TE26: a receipt is used once, by the principal that began; a state once', async () => {
    const [ann, bob] = [await person(api), await person(api)];
    const connection = await connect(ann.client);
    const { authorization_url } = await begin(ann.client, connection);
    const search = (await issuer.visit(authorization_url)).search;
    const { location } = await comeBack(search);
    const receipt = location?.searchParams.get('receipt') ?? '';
    await refusedCallback(search);
    await bob.client.refused('not_found', 'POST', `/v1/connections/${connection.id}/authorize/complete`, {
      body: { receipt },
    });
    expect(await refusedReceipt(ann.client, connection, 'another')).toMatchObject({ reason: 'receipt' });
    await complete(ann.client, connection, receipt);
    expect(await refusedReceipt(ann.client, connection, receipt)).toMatchObject({ reason: 'receipt' });
    await refusedCallback(search);
    expect(await ann.client.get(`/v1/connections/${connection.id}`)).toMatchObject({ status: 'active' });
  });

  it('TE26: of two administrators the one who did not begin completes nothing', async () => {
    const [ann, bob] = [await person(api, 'Admin'), await person(api, 'Admin')];
    const connection = await connect(ann.client, provider, { owner: { kind: 'team' } });
    const receipt = await receiptOf(ann.client, connection);
    await bob.client.refused('not_found', 'POST', `/v1/connections/${connection.id}/authorize/complete`, {
      body: { receipt },
    });
    expect(await complete(ann.client, connection, receipt)).toMatchObject({ status: 'active' });
  });

  it('TE26: one flow is open at a time; a receipt of another connection is none', async () => {
    const ann = await person(api);
    const [one, two] = [await connect(ann.client), await connect(ann.client)];
    const first = await issuer.visit((await begin(ann.client, one)).authorization_url);
    const second = await receiptOf(ann.client, one);
    await refusedCallback(first.search);
    expect(await refusedReceipt(ann.client, two, second)).toMatchObject({ reason: 'receipt' });
    expect(await complete(ann.client, one, second)).toMatchObject({ status: 'active' });
  });

  it('TE26: a state that is not ours, was changed or is missing is 404 and leads nowhere', async () => {
    const ann = await person(api);
    const connection = await connect(ann.client);
    const back = await issuer.visit((await begin(ann.client, connection)).authorization_url);
    const state = back.searchParams.get('state') ?? '';
    const changed = `${state.slice(0, -2)}${state.endsWith('AA') ? 'BB' : 'AA'}`;
    for (const wrong of ['', '?state=x&code=y', `?state=${changed}&code=y`, `?code=y`, `?state=${state}x&code=y`])
      await refusedCallback(wrong);
    await refusedCallback(`${back.search}&state=${state}`);
    await ann.client.delete(`/v1/connections/${connection.id}`);
    await refusedCallback(back.search);
  });

  it('TE26: what the provider refuses, and an answer of another issuer, lead back with an error and no receipt', async () => {
    const ann = await person(api);
    const led = async (change: (back: URL) => void) => {
      const connection = await connect(ann.client);
      const back = await issuer.visit((await begin(ann.client, connection)).authorization_url);
      change(back);
      const { status, location } = await comeBack(back.search);
      expect([status, location?.origin, location?.searchParams.get('receipt')]).toEqual([303, returnOrigin, null]);
      await refusedCallback(back.search);
      return location?.searchParams.get('error');
    };
    const without = (name: string) => (back: URL) => {
      back.searchParams.delete(name);
    };
    expect(await led((back) => back.searchParams.set('iss', 'https://other.example.com'))).toBe('invalid_issuer');
    expect(await led(without('iss'))).toBe('invalid_issuer');
    expect(await led(without('code'))).toBe('no_code');
    expect(await led((back) => back.searchParams.set('error', 'access_denied'))).toBe('access_denied');
    expect(await led((back) => back.searchParams.set('error', '<b>no</b>'))).toBe('provider_error');
  });

  it('TE26: a code that the provider does not take changes nothing, and is used up', async () => {
    const ann = await person(api);
    const connection = await authorized(ann.client);
    const back = await issuer.visit((await begin(ann.client, connection)).authorization_url);
    back.searchParams.set('code', 'a-code-of-nobody');
    const { location } = await comeBack(back.search);
    const receipt = location?.searchParams.get('receipt') ?? '';
    expect(await refusedReceipt(ann.client, connection, receipt)).toEqual({
      reason: 'provider',
      error: 'invalid_grant',
    });
    expect(await refusedReceipt(ann.client, connection, receipt)).toMatchObject({ reason: 'receipt' });
    expect(await ann.client.get(`/v1/connections/${connection.id}`)).toMatchObject({ status: 'active' });
  });

  it('TE18, TE26: returns to origins of the organization only', async () => {
    const ann = await person(api);
    const connection = await connect(ann.client);
    for (const return_to of [
      'https://evil.example.com/',
      'https://app.example.com:8443/',
      'http://app.example.com/',
      'https://user@app.example.com/',
      'https://app.example.com.evil.example.com/',
      'https://app.example.com/#x',
    ])
      expect(
        await ann.client.refused('invalid_argument', 'POST', `/v1/connections/${connection.id}/authorize`, {
          body: { return_to },
        }),
      ).toMatchObject({ argument: 'return_to' });
  });

  it('TE18, TE26: leads back to no origin that was taken off the list meanwhile, and changes nothing', async () => {
    const ann = await person(api);
    const connection = await connect(ann.client);
    const { search } = await issuer.visit((await begin(ann.client, connection)).authorization_url);
    const path = '/v1/organization/oauth-return-origins';
    await api.put(path, { origins: [] });
    await refusedCallback(search);
    await api.put(path, { origins: [returnOrigin] });
    const receipt = (await comeBack(search)).location?.searchParams.get('receipt') ?? '';
    expect(await complete(ann.client, connection, receipt)).toMatchObject({ status: 'active' });
  });

  it('TE26: only an account of this kind is authorized; it needs its provider, and has no secret to rotate', async () => {
    const ann = await person(api);
    const key = await ann.client.post<Connection>(
      '/v1/connections',
      { name: 'k', kind: 'api_key', hosts: ['https://api.example.com'], secret: 'a-long-secret' },
      201,
    );
    expect(
      await ann.client.refused('conflict', 'POST', `/v1/connections/${key.id}/authorize`, {
        body: { return_to: returnTo },
      }),
    ).toMatchObject({ reason: 'kind' });
    const kind = 'oauth2_authorization_code';
    for (const body of [
      { name: 'x', kind },
      { name: 'x', kind, provider: freshName() },
    ])
      expect(await ann.client.refused('invalid_argument', 'POST', '/v1/connections', { body })).toMatchObject({
        argument: 'provider',
      });
    const connection = await connect(ann.client);
    expect(
      await ann.client.refused('conflict', 'POST', `/v1/connections/${connection.id}/rotate`, { body: {} }),
    ).toMatchObject({ reason: 'kind' });
  });
});

describe('an authorized account in use (rules TE21, TE25)', () => {
  async function action(of: string, answer: ActionScript) {
    const name = unique('act');
    const path = `/${name}`;
    await api.post('/v1/actions', { name, endpoint_url: server.at(path, answer), provider: of }, 201);
    const invoked = async (client: Client) =>
      (await client.send('POST', `/v1/actions/${name}/invoke`, { body: { input: {} } })).text;
    return { name, invoked, sent: () => server.on(path).map(({ headers }) => String(headers.authorization)) };
  }

  it('TE25: its token is sent as a bearer; a 401 redeems the refresh token, which rotates', async () => {
    const own = freshName();
    await saveProvider(own);
    const ann = await person(api, 'Admin');
    await authorized(ann.client, own);
    const { invoked, sent } = await action(own, (_request, earlier) => ({ status: earlier % 2 === 0 ? 401 : 200 }));
    const before = (await issuer.asked()).length;
    for (let call = 0; call < 2; call += 1) expect(await invoked(ann.client)).toContain('completed');
    const [first, second, third, fourth] = sent();
    expect(first).toMatch(/^Bearer [\w-]{20,}$/);
    expect(new Set([first, second, fourth]).size).toBe(3);
    expect(third).toBe(second);
    expect((await issuer.asked()).slice(before)).toEqual(['refresh_token', 'refresh_token']);
  });

  it('TE21: another provider makes it wait for its owner, and sends its token nowhere', async () => {
    const own = freshName();
    await saveProvider(own);
    const ann = await person(api, 'Admin');
    const connection = await authorized(ann.client, own);
    const { invoked, sent } = await action(own, () => ({}));
    expect(await invoked(ann.client)).toContain('completed');
    const status = async () => (await ann.client.get<Connection>(`/v1/connections/${connection.id}`)).status;
    await saveProvider(own, { client_secret: issuer.clientSecret, scopes: ['openid', 'email'] });
    expect(await status()).toBe('active');
    const trap = server.at(`/${unique('trap')}`, () => ({}));
    const waiting = (await begin(ann.client, connection)).authorization_url;
    await saveProvider(own, { token_endpoint: trap });
    expect(await status()).toBe('needs_authorization');
    expect(await invoked(ann.client)).toContain('connection_needs_authorization');
    const { location } = await comeBack((await issuer.visit(waiting)).search);
    expect(await refusedReceipt(ann.client, connection, location?.searchParams.get('receipt') ?? '')).toEqual({
      reason: 'provider',
      error: 'provider_changed',
    });
    await saveProvider(own);
    expect(await status()).toBe('needs_authorization');
    expect([sent().length, server.on(new URL(trap).pathname).length]).toEqual([1, 0]);
    await complete(ann.client, connection, await receiptOf(ann.client, connection));
    expect(await invoked(ann.client)).toContain('completed');
    await api.delete(`/v1/providers/${own}`);
    expect([await status(), sent().length]).toEqual(['needs_authorization', 2]);
    expect(await invoked(ann.client)).toContain('connection_needs_authorization');
  });

  it('TE20, TE26: no answer of the service holds a code, a token or a secret', async () => {
    const own = freshName();
    await saveProvider(own);
    const ann = await person(api, 'Admin');
    const connection = await authorized(ann.client, own);
    const { invoked, sent } = await action(own, ({ headers }) => ({ body: { seen: headers.authorization } }));
    expect(await invoked(ann.client)).toContain('[redacted]');
    await eventually('its entry in the audit view', async () => {
      const { items } = await api.get<{ items: { action: string }[] }>('/v1/audit', { resource_id: connection.id });
      return items.some((entry) => entry.action === 'connection.authorized');
    });
    const token = sent()[0]?.slice('Bearer '.length) ?? randomBytes(8).toString('hex');
    for (const path of [`/v1/connections/${connection.id}`, '/v1/connections', `/v1/providers/${own}`, '/v1/audit']) {
      const text = (await api.send('GET', path)).text + (await ann.client.send('GET', path)).text;
      for (const secret of [token, issuer.clientSecret]) expect(text).not.toContain(secret);
    }
  });
});
