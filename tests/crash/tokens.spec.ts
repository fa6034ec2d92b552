import { randomBytes } from 'node:crypto';
import { Client, createAgent, createSession, rawRequest } from '../harness/index.js';
import { OwnService } from '../harness/embedded.js';

const page = 'https://app.example';
const other = 'https://other.example';
const masterKey = (keyId: string) => `${keyId}:${randomBytes(32).toString('base64')}`;

let service: OwnService;
afterEach(() => service.remove());

async function issued(api: Client, body: object): Promise<Client> {
  const { token } = await api.post<{ token: string }>(
    '/v1/tokens',
    { verbs: ['read'], ttl_seconds: 300, ...body },
    201,
  );
  return api.as(token);
}

async function sessionOf(api: Client): Promise<string> {
  return (await createSession(api, (await createAgent(api)).id, { mode: 'new' })).id;
}

it('rule A39: pages of the origins that the service lets in use a token, or of those that the token names', async () => {
  service = await OwnService.start({ SVC_CORS_ORIGINS: `${page},${other}` });
  const api = service.client;
  const id = await sessionOf(api);
  const from = async (token: Client, origin?: string) => {
    const { status, headers } = await rawRequest(token, 'GET', `/v1/sessions/${id}`, {
      headers: origin === undefined ? {} : { origin },
    });
    return [status, headers['access-control-allow-origin']];
  };
  const all = await issued(api, { session_ids: [id] });
  expect(await from(all, page)).toEqual([200, page]);
  expect(await from(all, 'https://evil.example')).toEqual([403, undefined]);
  expect(await from(all)).toEqual([200, undefined]);
  const narrow = await issued(api, { session_ids: [id], origins: [page] });
  expect(await from(narrow, page)).toEqual([200, page]);
  expect(await from(narrow, other)).toEqual([403, other]);
  expect(await from(narrow)).toEqual([200, undefined]);
  expect(await from(await issued(api, { session_ids: [id], origins: [] }), page)).toEqual([403, page]);
  expect(await from(api, 'https://evil.example')).toEqual([200, undefined]); // a key is as before
  const details = await api.refused('invalid_argument', 'POST', '/v1/tokens', {
    body: { session_ids: [id], verbs: ['read'], ttl_seconds: 60, origins: [page, `${page}/`] },
  });
  expect(details['argument']).toBe('origins');
});

it('rule A39: a token of a replaced master key opens while that key is kept, and is 401 when it is gone', async () => {
  const [first, second] = [masterKey('k1'), masterKey('k2')];
  const settings: Record<string, string> = { SVC_MASTER_KEYS: first };
  service = await OwnService.start(settings);
  const id = await sessionOf(service.client);
  const token = await issued(service.client, { session_ids: [id] });
  for (const [keys, status] of [
    [`${second},${first}`, 200],
    [second, 401],
  ] as const) {
    await service.end('SIGTERM');
    settings['SVC_MASTER_KEYS'] = keys;
    await service.run();
    expect((await rawRequest(token, 'GET', `/v1/sessions/${id}`)).status).toBe(status);
  }
});

it("rule A39: a token has a bucket of its own within its key's", async () => {
  service = await OwnService.start({ SVC_RATE_LIMIT_KEY_RPM: '40' });
  const api = service.client;
  const id = await sessionOf(api);
  const tokens = [await issued(api, { session_ids: [id] }), await issued(api, { session_ids: [id] })];
  /** How many of fifty requests at once are let in: a bucket fills while one waits for another. */
  const letIn = async (client: Client): Promise<number> => {
    const answers = Array.from({ length: 50 }, () => rawRequest(client, 'GET', `/v1/sessions/${id}`));
    return (await Promise.all(answers)).filter(({ status }) => status !== 429).length;
  };
  const [one, two] = [await letIn(tokens[0] ?? api), await letIn(tokens[1] ?? api)];
  expect([one, two].every((count) => count >= 10 && count <= 12)).toBe(true);
  const left = await letIn(api);
  expect(left).toBeGreaterThanOrEqual(5);
  expect(left).toBeLessThan(25);
});
