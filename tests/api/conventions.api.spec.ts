import { gunzipSync } from 'node:zlib';
import { parse } from 'yaml';
import {
  type Agent,
  Client,
  type ErrorBody,
  type Page,
  contractText,
  createAgent,
  createSession,
  rawRequest,
  statusOfCode,
  unique,
} from '../harness/index.js';

const api = Client.owner();
const nobody = api.as(null);
const jsonType = { 'content-type': 'application/json' };
let agents: Agent[];
let tag: string;

beforeAll(async () => {
  tag = unique('conv');
  agents = [];
  for (let index = 0; index < 5; index += 1) agents.push(await createAgent(api, { name: `${tag}-${index}` }));
});

const errorOf = (text: string) => (JSON.parse(text) as ErrorBody).error;

describe('conventions: lists', () => {
  it('G1, G2: pages of items, has_more and next_cursor; the last page has no cursor; every agent once and oldest first (G5)', async () => {
    const seen: Agent[] = [];
    for (let cursor: string | undefined, more = true, pages = 0; more && pages < 2000; pages += 1) {
      const page: Page<Agent> = await api.get<Page<Agent>>('/v1/agents', { limit: 100, cursor });
      seen.push(...page.items);
      more = page.has_more;
      cursor = page.next_cursor ?? undefined;
      expect(typeof cursor === 'string').toBe(more);
    }
    expect(new Set(seen.map((agent) => agent.id)).size).toBe(seen.length);
    const own = seen.filter((agent) => agent.name.startsWith(tag)).map((agent) => agent.id);
    expect(own).toEqual(agents.map((agent) => agent.id));
    expect(seen.map((agent) => agent.created_at)).toEqual(seen.map((agent) => agent.created_at).sort());
  });

  it('G2: limit goes from 1 to 100 and is 20 unless given', async () => {
    expect((await api.get<Page<Agent>>('/v1/agents', { limit: 1 })).items).toHaveLength(1);
    expect((await api.get<Page<Agent>>('/v1/agents')).items.length).toBeLessThanOrEqual(20);
    for (const limit of [0, 101, -1, 'x', '1.5']) {
      const details = await api.refused('bad_request', 'GET', '/v1/agents', { query: { limit }, invalid: true });
      expect(details['issues']).toEqual([{ path: 'query.limit', message: expect.any(String) as string }]);
    }
  });

  it('G4: a foreign, damaged or reused cursor is refused', async () => {
    const { next_cursor: cursor } = await api.get<Page<Agent>>('/v1/agents', { limit: 1 });
    const good = String(cursor);
    expect((await api.get<Page<Agent>>('/v1/agents', { limit: 1, cursor: good })).items).toHaveLength(1);
    for (const bad of ['x', `${good}x`, good.slice(1), good.slice(0, -1) + (good.endsWith('A') ? 'B' : 'A')]) {
      await api.refused('invalid_cursor', 'GET', '/v1/agents', { query: { cursor: bad } });
    }
    await api.refused('invalid_cursor', 'GET', '/v1/skills', { query: { cursor: good } });
    await api.refused('invalid_cursor', 'GET', '/v1/agents', { query: { cursor: good, status: 'active' } });
  });

  it('a page is stable while rows are added behind it', async () => {
    const first = await api.get<Page<Agent>>('/v1/agents', { limit: 2 });
    await createAgent(api);
    const second = await api.get<Page<Agent>>('/v1/agents', { limit: 2, cursor: String(first.next_cursor) });
    expect(second.items.some((agent) => first.items.some((other) => other.id === agent.id))).toBe(false);
  });
});

describe('conventions: requests', () => {
  it('G10: an empty body with a JSON content type is accepted on every method without one', async () => {
    expect((await rawRequest(api, 'GET', '/v1/agents?limit=1', { headers: jsonType })).status).toBe(200);
    const session = await createSession(api, agents[0]?.id ?? '', { mode: 'new' });
    expect((await rawRequest(api, 'POST', `/v1/sessions/${session.id}/cancel`, { headers: jsonType })).status).toBe(
      200,
    );
    expect(
      (
        await rawRequest(api, 'POST', `/v1/sessions/${session.id}/cancel`, {
          headers: { ...jsonType, 'content-length': '0' },
        })
      ).status,
    ).toBe(200);
    expect((await rawRequest(api, 'DELETE', `/v1/sessions/${session.id}`, { headers: jsonType })).status).toBe(204);
  });

  it('G11: any charset parameter of JSON is fine, another type is 415', async () => {
    const post = (type: string | undefined) =>
      rawRequest(api, 'POST', '/v1/agents', {
        headers: type === undefined ? {} : { 'content-type': type },
        body: JSON.stringify({ name: unique('g11'), visibility: 'organization' }),
      });
    expect((await post('application/json; charset=utf-8')).status).toBe(201);
    expect((await post('application/json;charset=UTF-8')).status).toBe(201);
    expect((await post('application/json;')).status).toBe(201);
    for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded']) {
      const answer = await post(type);
      expect([answer.status, errorOf(answer.text).code]).toEqual([415, 'unsupported_media_type']);
    }
  });

  it('G14, G15: damaged JSON, wrong shapes and missing members are 400 with issues', async () => {
    for (const body of ['{', '[]', '"x"', 'null', '{"name": 5}', '{}', '\u0000', '{"name":"a"}{"name":"b"}']) {
      const answer = await rawRequest(api, 'POST', '/v1/agents', { headers: jsonType, body });
      expect([body, answer.status, errorOf(answer.text).code]).toEqual([body, 400, 'bad_request']);
      expect(Object.keys(JSON.parse(answer.text) as object)).toEqual(['error']);
    }
    const details = await api.refused('bad_request', 'POST', '/v1/agents', {
      body: { name: 5, color: [] },
      invalid: true,
    });
    expect(details['issues']).toEqual(
      expect.arrayContaining([
        { path: '/name', message: expect.any(String) as string },
        { path: '/color', message: expect.any(String) as string },
      ]),
    );
    const missing = await rawRequest(api, 'POST', '/v1/agents', { headers: jsonType });
    expect(missing.status).toBe(400);
  });

  it('G6: a time that has no place in the calendar of answers is refused wherever one is taken', async () => {
    const times = [
      '2027-06-30T23:59:60Z',
      '2027-01-01T00:00:00+02',
      '9999-12-31T23:59:59-00:01',
      '0000-01-01T00:00:00+00:01',
    ];
    for (const time of times) {
      for (const [path, name] of [
        ['/v1/audit', 'since'],
        ['/v1/events', 'since'],
        ['/v1/sessions', 'since'],
        ['/v1/turns', 'since'],
        ['/v1/routines/occurrences', 'since'],
        ['/v1/routines/occurrences', 'until'],
        ['/v1/billing/usage-events', 'period_start'],
        ['/v1/billing/usage-events', 'recorded_after'],
      ] as const) {
        const details = await api.refused('bad_request', 'GET', path, { query: { [name]: time }, invalid: true });
        expect(details['issues']).toEqual([{ path: `query.${name}`, message: expect.any(String) as string }]);
      }
      for (const [path, body, pointer] of [
        ['/v1/api-keys', { name: unique('key'), expires_at: time }, '/expires_at'],
        [
          '/v1/interactions',
          { kind: 'request_information', title: 'When?', target_user_ids: ['user_x'], expires_at: time },
          '/expires_at',
        ],
        [
          '/v1/inbound/events',
          { id: 'e', provider: 'acme', integration_id: 'i', event_type: 'acme.thing.made', occurred_at: time },
          '/occurred_at',
        ],
      ] as const) {
        const details = await api.refused('bad_request', 'POST', path, { body, invalid: true });
        expect(details['issues']).toContainEqual({ path: pointer, message: expect.any(String) as string });
      }
    }
  });

  it('G15: a number beyond every double is refused, not stored as null', async () => {
    const table = await api.post<{ id: string }>('/v1/tables', {
      name: unique('numbers').replaceAll('-', '_'),
      schema: {
        open: true,
        identity_column: 'key',
        columns: [
          { name: 'key', type: 'string' },
          { name: 'any', type: 'any' },
        ],
      },
    });
    const long = '9'.repeat(309);
    for (const value of ['1e400', '[-1E+400]', '{"a":1e0000309}', long, `${long.slice(0, 250)}e99`]) {
      for (const name of ['any', 'other']) {
        const body = `{"data":{"key":"a","${name}":${value}}}`;
        const answer = await rawRequest(api, 'POST', `/v1/tables/${table.id}/rows`, { headers: jsonType, body });
        expect([value, answer.status, answer.status < 300 ? '' : errorOf(answer.text).code]).toEqual([
          value,
          400,
          'bad_request',
        ]);
      }
    }
    const texts = ['1e400', long, 1e308, 5e-324];
    const row = await api.post<{ data: object }>(
      `/v1/tables/${table.id}/rows`,
      { data: { key: 'a', any: texts } },
      201,
    );
    expect(row.data).toEqual({ key: 'a', any: texts });
  });

  it('prototype members are data or refused, never followed', async () => {
    for (const body of [
      '{"name":"x","__proto__":{"visibility":"organization"}}',
      '{"name":"x","visibility":"organization","constructor":{"prototype":{"a":1}}}',
    ]) {
      const answer = await rawRequest(api, 'POST', '/v1/agents', { headers: jsonType, body });
      expect(answer.status).toBe(400);
    }
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });

  it('G12: a good X-Request-Id is kept, another is replaced, every answer has one', async () => {
    const send = async (id: string) =>
      (await rawRequest(api, 'GET', '/v1/agents?limit=1', { headers: { 'x-request-id': id } })).headers['x-request-id'];
    expect(await send('abc.DEF_9-x')).toBe('abc.DEF_9-x');
    expect(await send('x'.repeat(128))).toBe('x'.repeat(128));
    for (const bad of ['x'.repeat(129), 'with blank', 'slash/y', 'quote"'])
      expect(await send(bad)).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
    for (const bad of ['x'.repeat(129), 'with blank']) expect(await send(bad)).not.toBe(bad);
    expect((await rawRequest(nobody, 'GET', '/nowhere')).headers['x-request-id']).toEqual(expect.any(String));
    expect((await rawRequest(nobody, 'GET', '/healthz')).headers['x-request-id']).toEqual(expect.any(String));
  });

  it('G13, G24: unknown paths and ids are 404 not_found', async () => {
    for (const path of [
      '/v1/nothing',
      '/nothing',
      '/v1',
      '/v1/agents/x/y/z',
      '/v1/agents/agent_00000000000000000000000000',
      '/v1/agents/%2e%2e',
      '/v1/agents/..%2f..',
    ]) {
      const answer = await rawRequest(api, 'GET', path);
      expect([path, answer.status, errorOf(answer.text).code]).toEqual([path, 404, 'not_found']);
    }
  });

  it('G24: a wrong method is 405 with Allow', async () => {
    const answer = await rawRequest(api, 'PUT', '/v1/agents', { headers: jsonType, body: '{}' });
    expect([answer.status, errorOf(answer.text).code]).toEqual([405, 'method_not_allowed']);
    expect(String(answer.headers['allow']).split(/,\s*/).sort()).toEqual(expect.arrayContaining(['GET', 'POST']));
    expect((await rawRequest(api, 'DELETE', '/healthz')).status).toBe(405);
  });

  it('G24: headers over 16 KiB are 431', async () => {
    const answer = await rawRequest(api, 'GET', '/v1/agents', { headers: { 'x-large': 'x'.repeat(17 * 1024) } });
    expect([answer.status, errorOf(answer.text).code]).toEqual([431, 'headers_too_large']);
  });

  it('L3: a body over 1 MiB is 413 with the limit', async () => {
    const answer = await rawRequest(api, 'POST', '/v1/agents', {
      headers: jsonType,
      body: JSON.stringify({ name: 'x', system_prompt: 'y'.repeat(1024 * 1024) }),
    });
    expect([answer.status, errorOf(answer.text)]).toEqual([
      413,
      expect.objectContaining({ code: 'payload_too_large', details: { limit_bytes: 1024 * 1024 } }),
    ]);
  });

  it("one trailing slash of the base URL is the client's; paths stand as they are", async () => {
    expect((await rawRequest(api, 'GET', '/v1/agents?limit=1')).status).toBe(200);
  });
});

describe('conventions: answers', () => {
  it('G20: gzip on request, plain otherwise', async () => {
    const zipped = await rawRequest(api, 'GET', '/openapi.json', { headers: { 'accept-encoding': 'gzip' } });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(zipped.body).toString())).toHaveProperty('openapi');
    const plain = await rawRequest(api, 'GET', '/openapi.json');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(plain.text)).toHaveProperty('openapi');
  });

  it('G20: CORS is off unless configured', async () => {
    const answer = await rawRequest(api, 'GET', '/v1/agents?limit=1', { headers: { origin: 'https://evil.example' } });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('G21: the contract is served as JSON and YAML without a credential', async () => {
    const yaml = await rawRequest(nobody, 'GET', '/openapi.yaml');
    expect(yaml.status).toBe(200);
    expect(String(yaml.headers['content-type'])).toContain('application/yaml');
    expect(parse(yaml.text)).toEqual(parse(contractText));
    const json = await rawRequest(nobody, 'GET', '/openapi.json');
    expect(JSON.parse(json.text)).toEqual(parse(contractText));
  });

  it('CO3: the first page leads to the console where that is served, else it is a text with three commands', async () => {
    const { status, text, headers } = await rawRequest(nobody, 'GET', '/');
    const page = await rawRequest(nobody, 'GET', '/console');
    if (page.status === 404) {
      expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
      expect(text.match(/^ {3}curl/gm)).toHaveLength(3);
    } else {
      expect([status, headers['location']]).toEqual([302, '/console']);
      expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    }
  });

  it('G22: health and readiness answer without a credential', async () => {
    expect(await nobody.get<{ status: string }>('/healthz')).toMatchObject({ status: 'ok' });
    expect(await nobody.get<{ status: string }>('/readyz')).toMatchObject({ status: 'ok' });
  });

  it('G22: metrics are Prometheus text and hold no credential', async () => {
    const answer = await rawRequest(nobody, 'GET', '/metrics');
    expect(answer.status).toBe(200);
    expect(String(answer.headers['content-type'])).toContain('text/plain');
    expect(answer.text).toMatch(/^# (HELP|TYPE) \w+/m);
    for (const line of answer.text.split('\n'))
      expect(line).toMatch(/^(#.*|[a-zA-Z_:][a-zA-Z0-9_:]*(\{.*\})? \S+( \d+)?|)$/);
    expect(answer.text).not.toContain(String(api.key));
  });

  it('G23: 201 for creates, 200 for reads and changes, 204 without body for deletes', async () => {
    const agent = await createAgent(api);
    const deleted = await rawRequest(api, 'DELETE', `/v1/agents/${agent.id}`);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
  });

  it('G17: every code of an error is in the catalog with its status', async () => {
    expect(statusOfCode('session_turn_active')).toBe(409);
    await api.refused('not_found', 'GET', '/v1/agents/agent_00000000000000000000000000');
  });

  it('security headers: nosniff, and no banner of the framework', async () => {
    const { headers } = await rawRequest(api, 'GET', '/v1/agents?limit=1');
    expect(headers['x-powered-by']).toBeUndefined();
    expect(headers['server']).toBeUndefined();
  });

  it('L2: with limits on, every authenticated answer tells its bucket; with them off, none does', async () => {
    const { headers } = await rawRequest(api, 'GET', '/v1/agents?limit=1');
    const names = ['limit', 'remaining', 'reset', 'scope', 'policy'].map((name) => headers[`x-ratelimit-${name}`]);
    const isOn = names[0] !== undefined;
    expect(names.map((value) => value !== undefined)).toEqual(Array(5).fill(isOn));
    if (isOn)
      expect([String(names[3]), /^\d+;w=60$/.test(String(names[4]))]).toEqual([
        expect.stringMatching(/^(key|org)$/),
        true,
      ]);
  });
});
