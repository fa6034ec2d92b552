import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwnService } from '../harness/embedded.js';
import {
  ActionServer,
  type Client,
  OAuthIssuer,
  SecretSearch,
  eventually,
  filesWith,
  unique,
} from '../harness/index.js';

interface Connection {
  id: string;
  status: string;
}

const folder = mkdtempSync(join(tmpdir(), 'aos-connections-'));
const file = join(folder, 'name');
const publicUrl = 'https://svc.example.com';
const returnOrigin = 'https://app.example.com';
/** Secrets of every kind, and what was made of them: none of it may stand anywhere. */
const canaries: string[] = [];
function canary(): string {
  const made = `canary-${randomBytes(12).toString('hex')}`;
  canaries.push(made);
  return made;
}

let server: ActionServer;
let issuer: OAuthIssuer;
let service: OwnService;
let api: Client;
const settings: Record<string, string> = { SVC_FAILPOINT: file, SVC_PUBLIC_URL: publicUrl };

const origin = () => new URL(server.at('/', () => ({}))).origin;
const team = { kind: 'team' };

export async function startAccounts(): Promise<void> {
  writeFileSync(file, '');
  server = await ActionServer.start('own');
  issuer = await OAuthIssuer.start(`${publicUrl}/v1/oauth/callback`, 'own');
  canaries.push(issuer.clientSecret);
  settings['SVC_EGRESS_ALLOW'] = [`127.0.0.1:${server.port}`, new URL(issuer.issuer).host].join(',');
  service = await OwnService.start(settings);
  api = service.client;
  await api.put('/v1/organization/oauth-return-origins', { origins: [returnOrigin] });
}

export async function removeAccounts(): Promise<void> {
  await service.remove();
  await issuer.close();
  await server.close();
  rmSync(folder, { recursive: true });
}

async function restart(writes?: 'previous' | 'current'): Promise<void> {
  if (writes) settings['SVC_WRITES'] = writes;
  await service.end('SIGKILL');
  await service.run();
}

/** Lets the service die at a place while something is done, and starts it again. */
async function dyingAt(place: string, act: () => Promise<unknown>): Promise<void> {
  writeFileSync(file, place);
  await act().catch(() => null); // its answer falls with the process
  await service.ended();
  writeFileSync(file, '');
  await service.run();
}

async function action() {
  const name = unique('act');
  const provider = unique('prov').toLowerCase();
  const path = `/${name}`;
  const endpoint_url = server.at(path, () => ({}));
  await api.post('/v1/actions', { name, endpoint_url, provider }, 201);
  const invoked = async () => (await api.send('POST', `/v1/actions/${name}/invoke`, { body: { input: {} } })).text;
  return { name, provider, path, invoked };
}

async function connect(fields: Record<string, unknown>): Promise<Connection> {
  const account = { name: unique('account'), owner: team, hosts: [origin()] };
  const made = await api.post<Connection>('/v1/connections', { ...account, ...fields }, 201);
  await api.put(`/v1/connections/${made.id}/grants`, { principal_ids: [], everyone: true });
  return made;
}

/** A token endpoint that gives another token at each ask. */
function tokenEndpoint() {
  const path = `/${unique('token')}`;
  const url = server.at(path, () => ({ body: { access_token: canary(), token_type: 'Bearer', expires_in: 3600 } }));
  return { url, asked: () => server.on(path).length };
}

/** In an order in which no call that was cut and goes on by itself comes to the place of a later one. */
const refreshPlaces = [
  'after-append RefreshBegun',
  'before-append SecretStored',
  'after-append TokenRefreshed',
  'before-append TokenRefreshed',
  'before-append RefreshBegun',
] as const;
const flowPlaces = [
  'after-append AuthorizationBegun',
  'before-append CodeArrived',
  'after-append CodeArrived',
  'before-append CodeRedeemed',
  'after-append CodeRedeemed',
  'before-append ConnectionAuthorized',
  'after-append ConnectionAuthorized',
] as const;

const refreshes: { place: string; invoked: () => Promise<string>; asked: () => number }[] = [];

/** Lets the service die at each step of a refresh, those first whose try has to be given up. */
export async function killAtRefreshes(): Promise<void> {
  refreshes.length = 0;
  for (const place of refreshPlaces) {
    const made = await action();
    const token = tokenEndpoint();
    await connect({
      kind: 'oauth2_client_credentials',
      provider: made.provider,
      client_id: 'c',
      token_endpoint: token.url,
      secret: canary(),
    });
    await dyingAt(place, made.invoked);
    refreshes.push({ place, invoked: made.invoked, asked: token.asked });
  }
}

/** At each step of a flow a kill leaves an account that is authorized, or that can begin again. */
export async function killAtFlows(): Promise<void> {
  const provider = unique('prov').toLowerCase();
  await api.put(`/v1/providers/${provider}`, issuer.provider([origin()]));
  const begin = ({ id }: Connection) =>
    api.post<{ authorization_url: string }>(`/v1/connections/${id}/authorize`, { return_to: `${returnOrigin}/` }, 200);
  const back = async (search: string) => {
    const response = await fetch(`${api.baseUrl}/v1/oauth/callback${search}`, { redirect: 'manual' });
    const location = response.headers.get('location');
    const receipt = location === null ? null : new URL(location).searchParams.get('receipt');
    if (receipt !== null) canaries.push(receipt);
    return { status: response.status, receipt };
  };
  const complete = ({ id }: Connection, receipt: string) =>
    api.send('POST', `/v1/connections/${id}/authorize/complete`, { body: { receipt } });
  for (const place of flowPlaces) {
    const connection = await connect({ kind: 'oauth2_authorization_code', provider, hosts: undefined });
    let receipt = '';
    const flow = async () => {
      const visited = await issuer.visit((await begin(connection)).authorization_url);
      canaries.push(visited.searchParams.get('code') ?? '');
      receipt = (await back(visited.search)).receipt ?? '';
      return (await complete(connection, receipt)).status;
    };
    await dyingAt(place, flow);
    const { status } = await api.get<Connection>(`/v1/connections/${connection.id}`);
    expect([place, status]).toEqual([place, place.endsWith('ConnectionAuthorized') ? 'active' : 'needs_authorization']);
    if (place === 'after-append CodeRedeemed') expect((await complete(connection, receipt)).status).toBe(409);
    expect([place, await flow()]).toEqual([place, 200]);
    expect(await api.get(`/v1/connections/${connection.id}`)).toMatchObject({ status: 'active' });
  }
}

/** After a kill at each step of a refresh a token is fetched all the same. */
export async function expectTokens(): Promise<void> {
  await Promise.all(
    refreshes.map(({ place, invoked }) =>
      eventually(`a call after ${place}`, async () => (await invoked()).includes('completed'), 100_000, 250),
    ),
  );
  expect(refreshes.map(({ place, asked }) => [place, asked()])).toEqual([
    ['after-append RefreshBegun', 1],
    ['before-append SecretStored', 2],
    ['after-append TokenRefreshed', 1],
    ['before-append TokenRefreshed', 1],
    ['before-append RefreshBegun', 1],
  ]);
}

/** While a fleet is upgraded connections and providers do not change. */
export async function expectNoChanges(): Promise<void> {
  const provider = unique('prov').toLowerCase();
  const saved = issuer.provider([origin()]);
  await api.put(`/v1/providers/${provider}`, saved);
  const { id } = await connect({ kind: 'api_key', provider, secret: canary() });
  const code = await connect({ kind: 'oauth2_authorization_code', provider, hosts: undefined });
  const made = await action();
  const token = tokenEndpoint();
  const client = { client_id: 'c', token_endpoint: token.url, secret: canary() };
  await connect({ kind: 'oauth2_client_credentials', provider: made.provider, ...client });
  const before = await api.get(`/v1/connections/${id}`);
  await restart('previous');
  expect(await made.invoked()).toContain('connection_token_unavailable');
  expect(token.asked()).toBe(0);
  const pending = { feature: 'connections' };
  const refused = async (method: string, path: string, body?: object) =>
    expect([method, path, await api.refused('upgrade_pending', method, path, { body })]).toEqual([
      method,
      path,
      pending,
    ]);
  const account = { name: 'x', kind: 'api_key', owner: team, hosts: [origin()], secret: 'a-long-secret' };
  await refused('POST', '/v1/connections', account);
  await refused('PATCH', `/v1/connections/${id}`, { name: 'other' });
  await refused('POST', `/v1/connections/${id}/rotate`, { secret: 'another-secret' });
  await refused('PUT', `/v1/connections/${id}/grants`, { principal_ids: [], everyone: false });
  await refused('DELETE', `/v1/connections/${id}`);
  await refused('POST', `/v1/connections/${code.id}/authorize`, { return_to: `${returnOrigin}/` });
  await refused('POST', `/v1/connections/${code.id}/authorize/complete`, { receipt: 'x' });
  await refused('PUT', `/v1/providers/${provider}`, saved);
  await refused('DELETE', `/v1/providers/${provider}`);
  const name = unique('act');
  await refused('POST', '/v1/actions', { name, endpoint_url: server.at(`/${name}`, () => ({})), provider });
  await api.post('/v1/actions', { name, endpoint_url: server.at(`/${name}`, () => ({})) }, 201);
  await refused('PATCH', `/v1/actions/${name}`, { provider });
  expect(await api.get(`/v1/connections/${id}`)).toEqual(before);
  await restart('current');
  expect(await made.invoked()).toContain('completed');
  expect(await api.patch(`/v1/actions/${name}`, { provider })).toMatchObject({ provider });
  expect(await api.patch(`/v1/connections/${id}`, { name: 'other' })).toMatchObject({ name: 'other' });
}

/** No secret stands in a file or a log line. */
export async function expectNoSecrets(): Promise<void> {
  await restart();
  const search = new SecretSearch();
  search.add(...canaries.filter((each) => each !== ''));
  expect(search.count).toBeGreaterThan(20);
  expect(filesWith(service.folder, returnOrigin).length).toBeGreaterThan(0);
  expect(search.inFiles(service.folder)).toEqual([]);
  expect(search.in('the log', service.output)).toEqual([]);
}

/** An address that asked 60 times in a minute with states that are none has to wait. */
export async function expectToWait(): Promise<void> {
  const ask = async () =>
    (await fetch(`${api.baseUrl}/v1/oauth/callback?state=x&code=y`, { redirect: 'manual' })).status;
  const from = performance.now();
  const first = await Promise.all(Array.from({ length: 50 }, ask));
  expect(new Set(first)).toEqual(new Set([404]));
  // more at once than may be asked while they are answered: one a second comes back
  const more = await Promise.all(Array.from({ length: 100 }, ask));
  const returned = Math.ceil((performance.now() - from) / 1_000);
  const taken = [...first, ...more].filter((status) => status === 404).length;
  expect(new Set(more)).toContain(429);
  expect(taken).toBeLessThanOrEqual(61 + returned);
}
