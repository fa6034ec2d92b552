import { ActionServer, Client, eventually, person, unique, type Page } from '../harness/index.js';

type Body = Record<string, unknown>;
interface Provider {
  provider: string;
  iss_required: boolean;
}

const api = Client.owner();
let server: ActionServer;

beforeAll(async () => {
  server = await ActionServer.start();
});
afterAll(() => server.close());

const issuer = 'https://issuer.invalid';
const fields = (more: Body = {}): Body => ({
  client_id: 'client-1',
  client_secret: 'canary-of-the-client',
  issuer,
  authorization_endpoint: `${issuer}/authorize?access_type=offline`,
  token_endpoint: `${issuer}/token`,
  scopes: ['read', 'write'],
  hosts: ['https://API.example.com:443'],
  ...more,
});
const freshName = () => unique('prov').toLowerCase();
const save = (name: string, more: Body = {}, client = api) =>
  client.put<Provider>(`/v1/providers/${name}`, fields(more), 200);
const refusedToSave = (more: Body) =>
  api.refused('invalid_argument', 'PUT', `/v1/providers/${freshName()}`, { body: fields(more) });

describe('providers (rules TE21, TE26)', () => {
  it('are saved whole, read without their secret, and deleted', async () => {
    const name = freshName();
    const saved = await save(name, { resource: 'https://api.example.com/' });
    expect(saved).toMatchObject({
      provider: name,
      client_id: 'client-1',
      scopes: ['read', 'write'],
      hosts: ['https://api.example.com'],
      resource: 'https://api.example.com/',
      iss_required: false,
    });
    expect(JSON.stringify(saved)).not.toContain('canary');
    expect(await api.get(`/v1/providers/${name}`)).toEqual(saved);
    const again = await save(name, { iss_required: true });
    expect(again).toMatchObject({ iss_required: true });
    expect(again).not.toHaveProperty('resource');
    await api.delete(`/v1/providers/${name}`);
    await api.refused('not_found', 'GET', `/v1/providers/${name}`);
    await api.refused('not_found', 'DELETE', `/v1/providers/${name}`);
    expect(await save(name)).toMatchObject({ provider: name });
  });

  it('are saved and deleted by many at once without a fault', async () => {
    const name = freshName();
    const statuses = await Promise.all(
      Array.from({ length: 24 }, async (_none, index) => {
        const path = `/v1/providers/${name}`;
        return (index % 2 ? await api.send('DELETE', path) : await api.send('PUT', path, { body: fields() })).status;
      }),
    );
    const puts = statuses.filter((_status, index) => index % 2 === 0);
    expect(puts.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect(statuses.filter((status, index) => index % 2 === 1 && ![204, 404, 409].includes(status))).toEqual([]);
    expect(await save(name)).toMatchObject({ provider: name });
  });

  it('are the administrators’; others see names and kinds', async () => {
    const name = freshName();
    await save(name);
    const viewer = (await person(api, 'Viewer')).client;
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', fields()],
      ['DELETE', undefined],
    ] as const)
      expect(await viewer.refused('permission_denied', method, `/v1/providers/${name}`, { body })).toMatchObject({
        permission: 'svc.org.admin',
      });
    const all: object[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await viewer.get<Page<object>>('/v1/providers', { limit: 100, cursor });
      all.push(...page.items);
      if (!page.has_more) break;
      cursor = page.next_cursor ?? undefined;
    }
    expect(all).toContainEqual({ provider: name, kinds: ['oauth2_client_credentials', 'oauth2_authorization_code'] });
  });

  it('TE21, TE132: have addresses that may be called, https unless the operator allows them', async () => {
    for (const argument of ['issuer', 'authorization_endpoint', 'token_endpoint'])
      for (const address of [
        'http://issuer.example.com/',
        'https://127.0.0.1/',
        'https://[::1]/',
        'https://a.example/#x',
      ])
        expect(await refusedToSave({ [argument]: address })).toMatchObject({ argument });
    expect(await refusedToSave({ hosts: ['https://10.0.0.1'] })).toMatchObject({ argument: 'hosts' });
    expect(await refusedToSave({ client_secret: 'short' })).toMatchObject({ argument: 'client_secret' });
    await api.refused('bad_request', 'PUT', '/v1/providers/No%20Name', { body: fields(), invalid: true });
  });

  it('TE26: an issuer whose metadata exclude S256 is refused; one that promises iss must send it', async () => {
    const origin = new URL(server.at('/', () => ({}))).origin;
    const metadata = (path: string, more: Body) => {
      server.at(`/.well-known/oauth-authorization-server${path}`, () => ({
        body: { issuer: `${origin}${path}`, ...more },
      }));
      return { issuer: `${origin}${path}` };
    };
    const plain = metadata(`/${unique('plain')}`, { code_challenge_methods_supported: ['plain'] });
    expect(await refusedToSave(plain)).toMatchObject({ argument: 'issuer', reason: 'pkce' });
    const sound = metadata(`/${unique('sound')}`, {
      code_challenge_methods_supported: ['plain', 'S256'],
      authorization_response_iss_parameter_supported: true,
    });
    expect(await save(freshName(), sound)).toMatchObject({ iss_required: true });
    const another = metadata(`/${unique('other')}`, { issuer: 'https://other.example.com' });
    expect(await save(freshName(), another)).toMatchObject({ iss_required: false });
  });

  it('leave audit entries without a secret', async () => {
    const name = freshName();
    await save(name);
    await api.delete(`/v1/providers/${name}`);
    const actions = async () => {
      const { items } = await api.get<Page<{ action: string; resource: { name?: string } }>>('/v1/audit', {
        limit: 100,
      });
      expect(JSON.stringify(items)).not.toContain('canary-of-the-client');
      return items.filter(({ resource }) => resource.name === name).map(({ action }) => action);
    };
    await eventually('the audit view', async () => (await actions()).length === 2);
    expect((await actions()).sort()).toEqual(['provider.deleted', 'provider.saved']);
  });
});
