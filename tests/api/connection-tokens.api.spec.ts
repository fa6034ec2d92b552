import { randomBytes } from 'node:crypto';
import { ActionServer, Client, person, unique, type ActionScript } from '../harness/index.js';

type Body = Record<string, unknown>;
interface Connection {
  id: string;
  status: string;
}

const api = Client.owner();
let server: ActionServer;

beforeAll(async () => {
  server = await ActionServer.start();
});
afterAll(() => server.close());

const canary = () => `canary-${randomBytes(12).toString('hex')}`;
const origin = () => new URL(server.at('/', () => ({}))).origin;

/** A token endpoint that gives another token at each ask. */
function tokenEndpoint(more: Body = {}, script?: ActionScript) {
  const path = `/${unique('token')}`;
  const tokens: string[] = [];
  const url = server.at(path, (request, earlier) => {
    const scripted = script?.(request, earlier);
    if (scripted?.status !== undefined) return scripted;
    tokens.push(canary());
    return { ...scripted, body: { access_token: tokens.at(-1), token_type: 'Bearer', ...more } };
  });
  return { path, url, tokens, asked: () => server.on(path) };
}

interface Made {
  name: string;
  path: string;
  provider: string;
}

async function action(answer: ActionScript): Promise<Made> {
  const name = unique('act');
  const provider = unique('prov').toLowerCase();
  const path = `/${name}`;
  await api.post('/v1/actions', { name, endpoint_url: server.at(path, answer), provider }, 201);
  return { name, path, provider };
}

/** A client of this kind that every principal of the organization may use. */
async function connect(provider: string, token_endpoint: string, fields: Body = {}, secret = canary()) {
  const kind = 'oauth2_client_credentials';
  const owner = { kind: 'team' };
  const account = { name: unique('account'), kind, provider, owner, hosts: [origin()], token_endpoint, secret };
  const made = await api.post<Connection>('/v1/connections', { client_id: 'the client', ...account, ...fields }, 201);
  await api.put(`/v1/connections/${made.id}/grants`, { principal_ids: [], everyone: true });
  return { ...made, secret };
}

const invoked = async ({ name }: Made, client = api) =>
  (await client.send('POST', `/v1/actions/${name}/invoke`, { body: { input: {} } })).text;
const sentTokens = ({ path }: Made) => server.on(path).map(({ headers }) => headers.authorization);

describe('client credentials (rule TE25)', () => {
  it('TE25: a token is fetched once, kept, and sent as a bearer', async () => {
    const made = await action(() => ({}));
    const token = tokenEndpoint({ expires_in: 3600 });
    const { secret } = await connect(made.provider, token.url);
    for (let call = 0; call < 3; call += 1) expect(await invoked(made)).toContain('completed');
    expect(sentTokens(made)).toEqual(Array.from({ length: 3 }, () => `Bearer ${token.tokens[0]}`));
    const [asked] = token.asked();
    expect(token.asked()).toHaveLength(1);
    expect(asked?.body).toEqual({ grant_type: 'client_credentials' });
    const credentials = Buffer.from(`the+client:${secret}`).toString('base64');
    expect(asked?.headers.authorization).toBe(`Basic ${credentials}`);
  });

  it('TE25: 100 racing calls fetch one', async () => {
    const made = await action(() => ({}));
    let open: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (open = resolve));
    const token = tokenEndpoint({ expires_in: 3600 }, () => ({ after: held }));
    await connect(made.provider, token.url);
    const agents = await Promise.all(Array.from({ length: 4 }, () => person(api, 'Admin')));
    const calls = Array.from({ length: 100 }, (_none, index) => invoked(made, agents[index % 4]?.client));
    for (let look = 0; token.asked().length === 0 && look < 1000; look += 1) await new Promise(setImmediate);
    open();
    const outcomes = await Promise.all(calls);
    expect(outcomes.filter((text) => !text.includes('completed'))).toEqual([]);
    expect(token.asked()).toHaveLength(1);
    expect(new Set(sentTokens(made))).toEqual(new Set([`Bearer ${token.tokens[0]}`]));
  });

  it('TE25: one that is about to end is fetched anew', async () => {
    const made = await action(() => ({}));
    const token = tokenEndpoint({ expires_in: 30 });
    await connect(made.provider, token.url);
    for (let call = 0; call < 2; call += 1) expect(await invoked(made)).toContain('completed');
    expect(sentTokens(made)).toEqual(token.tokens.map((each) => `Bearer ${each}`));
    expect(token.asked()).toHaveLength(2);
  });

  it('TE25: a 401 fetches one token, and the same call is made once more under its delivery id', async () => {
    const made = await action((_request, earlier) => ({ status: earlier === 0 ? 401 : 200 }));
    const token = tokenEndpoint();
    await connect(made.provider, token.url);
    expect(await invoked(made)).toContain('completed');
    const requests = server.on(made.path);
    expect(sentTokens(made)).toEqual(token.tokens.map((each) => `Bearer ${each}`));
    expect(requests).toHaveLength(2);
    expect(new Set(requests.map(({ headers }) => headers['x-svc-delivery-id'])).size).toBe(1);
    expect(requests[0]?.headers['x-svc-delivery-id']).toBeDefined();
    const refusing = await action(() => ({ status: 401 }));
    const other = tokenEndpoint();
    await connect(refusing.provider, other.url);
    expect(await invoked(refusing)).toContain('http_status');
    expect([server.on(refusing.path).length, other.asked().length]).toEqual([2, 2]);
  });

  it('TE25: a client that is refused says so, is asked no more, and is repaired by rotate', async () => {
    const made = await action(() => ({}));
    let isRefused = true;
    const token = tokenEndpoint({}, () => (isRefused ? { status: 401, body: { error: 'invalid_client' } } : {}));
    const { id } = await connect(made.provider, token.url);
    for (let call = 0; call < 2; call += 1) expect(await invoked(made)).toContain('connection_needs_authorization');
    expect(token.asked()).toHaveLength(1);
    expect(await api.get(`/v1/connections/${id}`)).toMatchObject({ status: 'needs_authorization' });
    isRefused = false;
    expect(await api.post(`/v1/connections/${id}/rotate`, { secret: canary() }, 200)).toMatchObject({
      status: 'active',
    });
    expect(await invoked(made)).toContain('completed');
  });

  it('TE25: an endpoint that fails fails the call, and is asked again by the next one', async () => {
    const made = await action(() => ({}));
    const token = tokenEndpoint({}, (_request, earlier) => (earlier === 0 ? { status: 503 } : {}));
    await connect(made.provider, token.url);
    expect(await invoked(made)).toContain('connection_token_unavailable');
    expect(await invoked(made)).toContain('completed');
  });

  it('TE21: a token endpoint that redirects gets no second request, nor does the address that it names', async () => {
    const made = await action(() => ({}));
    const trap = `/${unique('trap')}`;
    const location = server.at(trap, () => ({ body: { access_token: canary(), token_type: 'Bearer' } }));
    for (const status of [302, 307, 308]) {
      const token = tokenEndpoint({}, () => ({ status, headers: { location } }));
      const { id } = await connect(made.provider, token.url);
      expect(await invoked(made)).toContain('connection_token_unavailable');
      expect(token.asked()).toHaveLength(1);
      await api.delete(`/v1/connections/${id}`);
    }
    expect([server.on(trap), server.on(made.path)]).toEqual([[], []]);
  });

  it('TE27: rotate, and another client, take effect at the next call', async () => {
    const made = await action(() => ({}));
    const [token, other] = [tokenEndpoint(), tokenEndpoint()];
    const { id } = await connect(made.provider, token.url);
    await invoked(made);
    const rotated = canary();
    await api.post(`/v1/connections/${id}/rotate`, { secret: rotated }, 200);
    await invoked(made);
    expect(token.asked()[1]?.headers.authorization).toBe(
      `Basic ${Buffer.from(`the+client:${rotated}`).toString('base64')}`,
    );
    await api.patch(`/v1/connections/${id}`, { token_endpoint: other.url, client_id: 'another' });
    await invoked(made);
    expect(sentTokens(made)).toEqual([...token.tokens, ...other.tokens].map((each) => `Bearer ${each}`));
    expect([token.asked().length, other.asked().length]).toEqual([2, 1]);
  });

  it('TE22: an endpoint that echoes its token tells no secret, of the try before neither', async () => {
    const seen: string[] = [];
    const made = await action(({ headers }, earlier) => {
      seen.push(String(headers.authorization));
      return { status: earlier === 0 ? 401 : 200, body: { seen: [...seen] } };
    });
    const token = tokenEndpoint();
    await connect(made.provider, token.url);
    const text = await invoked(made);
    expect(text).toContain('[redacted]');
    for (const each of token.tokens) expect(text).not.toContain(each);
  });

  it('TE20: takes what it does not name from its provider, and needs the rest', async () => {
    const made = await action(() => ({}));
    const token = tokenEndpoint();
    const issuer = 'https://issuer.invalid';
    const body = { name: 'x', kind: 'oauth2_client_credentials', provider: made.provider, secret: canary() };
    const team = { owner: { kind: 'team' } };
    const hosts = [origin()];
    expect(
      await api.refused('invalid_argument', 'POST', '/v1/connections', { body: { ...body, ...team, hosts } }),
    ).toMatchObject({ argument: 'client_id' });
    expect(
      await api.refused('invalid_argument', 'POST', '/v1/connections', {
        body: { ...body, ...team, hosts, client_id: 'c', token_endpoint: 'http://issuer.example.com/token' },
      }),
    ).toMatchObject({ argument: 'token_endpoint' });
    const provider = { client_id: 'of-provider', client_secret: canary(), issuer, scopes: ['read', 'write'], hosts };
    await api.put(`/v1/providers/${made.provider}`, {
      ...provider,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: token.url,
      resource: 'https://api.example.com/',
    });
    const connection = await api.post<Connection>('/v1/connections', { ...body, ...team }, 201);
    expect(connection).toMatchObject({ client_id: 'of-provider', token_endpoint: token.url, hosts, status: 'active' });
    await api.put(`/v1/connections/${connection.id}/grants`, { principal_ids: [], everyone: true });
    expect(await invoked(made)).toContain('completed');
    expect(token.asked()[0]?.body).toEqual({
      grant_type: 'client_credentials',
      scope: 'read write',
      resource: 'https://api.example.com/',
    });
  });
});
