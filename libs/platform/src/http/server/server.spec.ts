import 'reflect-metadata';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Body, Controller, Delete, Get, HttpCode, Module, Param, Patch, Post } from '@nestjs/common';
import { Refusal, StoreUnavailable, impliedPermissions } from '@aos/kernel';
import type { Identity } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { PinoLog } from '../../observability/index.js';
import { ContractQuery, Who } from '../rules/decorators.js';
import { parsedAnswer, rawExchange } from '../testing.js';
import type { Credentials } from './authentication.js';
import { IdentitySource } from './authentication.js';
import type { RunningApp } from '../app/start-app.js';
import { startApp } from '../app/start-app.js';

const keyOf = (name: string) => `svck_${name.padEnd(40, 'x')}`;
const grants: Record<string, string[]> = {
  admin: ['svc.org.admin'],
  viewer: ['svc.resource.view'],
  user: ['svc.resource.use'],
  busy: ['svc.resource.view'],
};

class KnownKeys extends IdentitySource {
  override identify({ authorization, requestId, ip }: Credentials): Promise<Identity | null> {
    const name = /^Bearer svck_([a-z]+?)x+$/.exec(authorization ?? '')?.[1] ?? '';
    if (name === 'down') return Promise.reject(new StoreUnavailable('no store'));
    const granted = grants[name];
    if (!granted) return Promise.resolve(null);
    return Promise.resolve({
      orgId: 'org_1',
      principalId: `svc_${name}`,
      kind: 'service',
      apiKeyId: `cred_${name}`,
      permissions: impliedPermissions(granted),
      roles: [],
      cap: null,
      requestId,
      ip,
    });
  }
}

@Controller()
class Fakes {
  @Get('/v1/agents') list(@ContractQuery() query: object) {
    return { items: [], has_more: false, query };
  }
  @Post('/v1/agents') create(@Body() body: object, @Who() who: Identity) {
    return { body, by: who.principalId };
  }
  @Get('/v1/agents/:agent_id') get(@Param('agent_id') id: string) {
    if (id === 'agent_boom') throw new Error('secret inner text');
    if (id === 'agent_down') throw new StoreUnavailable('redis');
    if (id === 'agent_taken') throw new Refusal('conflict', { field: 'name' });
    return { id, text: 'y'.repeat(id === 'agent_big' ? 5000 : 1) };
  }
  @Patch('/v1/agents/:agent_id') patch(@Body() body: object) {
    return { body };
  }
  @Delete('/v1/agents/:agent_id') remove() {
    return undefined;
  }
  @Post('/v1/sessions/:session_id/cancel') cancel() {
    return { status: 'x' };
  }
  @Post('/v1/sessions/:session_id/turns') @HttpCode(202) turn(@Body() body: object) {
    return { size: JSON.stringify(body).length };
  }
  @Get('/v1/agents/:agent_id/memory/entries/:memory_key') entry(@Param('memory_key') key: string) {
    return { key };
  }
}

@Module({
  controllers: [Fakes],
  providers: [{ provide: IdentitySource, useClass: KnownKeys }],
  exports: [IdentitySource],
})
class FakeModule {}

interface Envelope {
  error: { code: string; message: string; details?: Record<string, unknown> };
}

const lines: string[] = [];
const clock = new ManualClock();
let app: RunningApp;
let url: string;

beforeAll(async () => {
  const log = PinoLog.create({
    app: 'test',
    level: 'debug',
    pretty: false,
    destination: {
      write: (line: string) => {
        lines.push(line);
      },
    },
  });
  app = await startApp('test', [FakeModule], {
    clock,
    log,
    graceMs: 200,
    env: {
      SVC_PORT: '0',
      SVC_DATA_DIR: mkdtempSync(join(tmpdir(), 'svc-')),
      SVC_RATE_LIMIT_KEY_RPM: '60',
      SVC_CORS_ORIGINS: 'https://ok.example',
      SVC_TRUSTED_PROXIES: '127.0.0.0/8',
    },
    limits: { headersTimeoutMs: 300, requestTimeoutMs: 600, checkIntervalMs: 50 },
  });
  url = app.url;
});
beforeEach(() => clock.advance(60_000));
afterAll(() => app.stop());

async function call(
  method: string,
  path: string,
  {
    key = 'admin',
    body,
    headers = {},
  }: { key?: string | null; body?: string | Buffer; headers?: Record<string, string> } = {},
) {
  const answer = await fetch(url + path, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(key === null ? {} : { authorization: `Bearer ${keyOf(key)}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    json: () => JSON.parse(text) as Envelope & Record<string, never>,
  };
}
const code = async (...parameters: Parameters<typeof call>) => {
  const answer = await call(...parameters);
  return `${answer.status} ${answer.text === '' ? '' : (answer.json().error?.code ?? 'ok')}`;
};
const minimal = JSON.stringify({ name: 'a' });
const raw = (head: string, body = '') =>
  rawExchange(url, `${head}\r\nHost: x\r\nConnection: close\r\n\r\n${body}`).then(parsedAnswer);

describe('who may pass', () => {
  it.each([
    ['GET', '/v1/agents', null, '401 unauthorized'],
    ['GET', '/v1/agents', 'nobody', '401 unauthorized'],
    ['GET', '/v1/nothing', null, '404 not_found'],
    ['PUT', '/v1/agents', null, '405 method_not_allowed'],
    ['OPTIONS', '/v1/agents', null, '405 method_not_allowed'],
    ['GET', '/v1/sessions', 'admin', '404 not_found'],
    ['GET', '/v1/sessions/ses_1/turns', 'admin', '404 not_found'],
    ['POST', '/v1/agents', 'viewer', '403 permission_denied'],
    ['POST', '/v1/agents', 'user', '403 permission_denied'],
    ['GET', '/v1/agents', 'viewer', '200 ok'],
    ['GET', '/v1/agents', 'down', '503 service_unavailable'],
    ['GET', '/v1/agents?api_key=svck_adminx', null, '401 unauthorized'],
    ['GET', '/v1/agents/', 'admin', '404 not_found'],
    ['GET', '/v1//agents', 'admin', '404 not_found'],
    ['GET', '/V1/agents', 'admin', '404 not_found'],
    ['GET', '/v1/agents;x', 'admin', '404 not_found'],
    ['GET', '/v1%2Fagents', 'admin', '404 not_found'],
    ['GET', '/v1/agents/%zz', 'admin', '400 bad_request'],
    ['GET', `/v1/agents/${'a'.repeat(300)}`, 'admin', '404 not_found'],
    ['GET', `/v1/agents/${'a'.repeat(1025)}`, 'admin', '404 not_found'],
    ['GET', '/v1/agents/a%00b', 'admin', '404 not_found'],
    ['GET', '/v1/agents/agent_1/memory/entries/a%20b', 'admin', '400 bad_request'],
    ['GET', '/healthz', null, '200 ok'],
    ['GET', '/readyz', null, '200 ok'],
  ])('answers row %#: %s', async (method, path, key, expected) =>
    expect(await code(method, path, { key })).toBe(expected),
  );

  it('says the same 401 for every bad credential', async () => {
    const bodies = await Promise.all([
      call('GET', '/v1/agents', { key: null }),
      call('GET', '/v1/agents', { key: 'nobody' }),
      call('GET', '/v1/agents', { key: null, headers: { authorization: 'Basic x' } }),
    ]);
    expect(new Set(bodies.map(({ text }) => text)).size).toBe(1);
    expect(bodies[0]?.headers.get('www-authenticate')).toBe('Bearer');
    expect(lines.join('')).not.toContain(keyOf('nobody'));
  });

  it('names the missing permission and the allowed methods', async () => {
    expect((await call('POST', '/v1/agents', { key: 'viewer' })).json().error.details).toEqual({
      permission: 'svc.resource.build',
    });
    expect((await call('PUT', '/v1/agents/a')).headers.get('allow')).toBe('DELETE, GET, HEAD, PATCH');
  });

  it('does not see a method in a header, and decides HEAD like GET', async () => {
    expect(await code('GET', '/v1/agents/agent_1', { headers: { 'x-http-method-override': 'DELETE' } })).toBe('200 ok');
    expect((await call('HEAD', '/v1/agents', { key: null })).status).toBe(401);
    expect((await call('HEAD', '/v1/agents')).status).toBe(200);
  });

  it('keeps %2F in a parameter, and takes an absolute URI like its path', async () => {
    expect((await call('GET', '/v1/agents/a%2Fb')).json()).toMatchObject({ id: 'a/b' });
    expect((await raw('GET http://x/v1/agents HTTP/1.1')).status).toBe(401);
  });

  it('rule G24: names the methods of a path also behind an address, and before a fragment', async () => {
    for (const target of ['http://x/v1/agents', 'HTTPS://x:1/v1/agents?a=b', '/v1/agents#a']) {
      const answer = await raw(`PUT ${target} HTTP/1.1`);
      expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
    }
    expect((await raw('PUT http://x?a/v1/agents HTTP/1.1')).status).toBe(404);
  });

  it('rule G12: passes over an expectation that it does not know', async () => {
    const answer = await raw('GET /healthz HTTP/1.1\r\nExpect: more');
    expect(answer.status).toBe(200);
    expect(answer.headers['x-request-id']).toMatch(/^req_/);
  });

  it('takes no target that is neither a path nor an address', async () => {
    const ask = (target: string) =>
      rawExchange(
        app.url,
        `GET ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\nauthorization: Bearer ${keyOf('viewer')}\r\n\r\n`,
      );
    for (const target of ['*v1/agents', 'ftp://a/v1/agents', 'http://a?b/v1/agents'])
      expect(await ask(target)).toMatch(/^HTTP\/1.1 404 .*"not_found"/s);
    expect(await ask('http://a/v1/agents')).toMatch(/^HTTP\/1.1 200 /);
  });

  it('stops who tries keys out, and nobody else at that address', async () => {
    const from = { 'x-forwarded-for': '203.0.113.9' };
    for (let attempt = 0; attempt < 60; attempt += 1) await call('GET', '/v1/agents', { key: 'nobody', headers: from });
    const stopped = await call('GET', '/v1/agents', { key: 'nobody', headers: from });
    expect([stopped.status, stopped.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await code('GET', '/v1/agents', { headers: from })).toBe('200 ok');
    expect(await code('GET', '/v1/agents', { key: 'nobody' })).toBe('401 unauthorized');
  });

  it.each([
    'junk',
    '203.0.113.9, junk',
    'unknown, 127.0.0.2',
    '1.2.3.4:80',
    '[::1]',
    ', ,',
    '999.1.1.1',
    "'",
    '127.0.0.1%lo',
  ])('ignores %s from a trusted proxy', async (forwarded) => {
    lines.length = 0;
    const headers = { 'x-forwarded-for': forwarded, 'x-request-id': 'forwarded' };
    expect(await code('GET', '/v1/agents', { headers })).toBe('200 ok');
    const line = lines
      .map((text) => JSON.parse(text) as Record<string, unknown>)
      .find(({ request_id: id, msg }) => id === 'forwarded' && msg === 'request');
    expect(line?.ip).toMatch(/^127\.0\.0\.[12]$/);
  });
});

describe('what is ignored', () => {
  it('G29: is named on the answer and in the log at debug, without its values', async () => {
    lines.length = 0;
    const answer = await call('POST', '/v1/sessions/ses_1/turns?dry_run=secret', {
      body: JSON.stringify({ input: { content: [{ type: 'text', text: 'hi' }], 'a b': 'secret' } }),
    });
    expect([answer.status, answer.headers.get('x-svc-ignored')]).toEqual([202, '/input/a%20b, query.dry_run']);
    const line = lines
      .map((text) => JSON.parse(text) as Record<string, unknown>)
      .find(({ msg }) => msg === 'request.ignored');
    expect(line).toMatchObject({
      level: 'debug',
      operation: 'startTurn',
      name: '/input/a%20b, query.dry_run',
      request_id: expect.any(String) as string,
    });
    expect(lines.join('')).not.toContain('secret');
    expect(
      (
        await call('POST', '/v1/sessions/ses_1/turns', {
          body: JSON.stringify({ input: { content: [], colour: 1 }, when: 3, timeout: '' }),
        })
      ).headers.get('x-svc-ignored'),
    ).toContain('/input/colour');
  });
});

describe('request ids and rates', () => {
  it('keeps a good request id and replaces a bad one', async () => {
    expect(
      (await call('GET', '/v1/nothing', { headers: { 'x-request-id': 'My-id.1_' } })).headers.get('x-request-id'),
    ).toBe('My-id.1_');
    expect(
      (await call('GET', '/v1/agents', { headers: { 'x-request-id': 'has blank' } })).headers.get('x-request-id'),
    ).toMatch(/^req_[0-9a-f]{32}$/);
  });

  it('counts every request of a key', async () => {
    const first = await call('GET', '/v1/agents', { key: 'busy' });
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '59',
      'x-ratelimit-scope': 'key',
      'x-ratelimit-policy': '60;w=60',
    });
    for (let count = 0; count < 59; count += 1) await call('GET', '/v1/agents', { key: 'busy' });
    const over = await call('GET', '/v1/agents', { key: 'busy' });
    expect([
      over.status,
      over.json().error.code,
      over.headers.get('retry-after'),
      over.headers.get('x-ratelimit-remaining'),
    ]).toEqual([429, 'rate_limit_exceeded', '1', '0']);
    expect(Number(over.headers.get('x-ratelimit-reset'))).toBeGreaterThan(clock.now() / 1000);
    expect(await code('GET', '/v1/agents')).toBe('200 ok');
    clock.advance(1_000);
    expect(await code('GET', '/v1/agents', { key: 'busy' })).toBe('200 ok');
  });
});

describe('bodies', () => {
  it.each([
    ['an empty body with the JSON type', 'POST', '/v1/sessions/ses_1/cancel', undefined, {}, '200 ok'],
    ['a delete with the JSON type', 'DELETE', '/v1/agents/agent_1', undefined, {}, '204 '],
    ['a missing body', 'POST', '/v1/agents', undefined, {}, '400 bad_request'],
    ['no JSON', 'POST', '/v1/agents', '{"name":', {}, '400 bad_request'],
    ['no JSON, no path', 'POST', '/v1/nothing', '{"name":', { 'content-type': 'text/plain' }, '404 not_found'],
    ['no JSON, no method', 'PUT', '/v1/agents', '{"name":', {}, '405 method_not_allowed'],
    ['no UTF-8', 'POST', '/v1/agents', Buffer.from([0x22, 0xff, 0x22]), {}, '400 bad_request'],
    ['another type', 'POST', '/v1/agents', minimal, { 'content-type': 'text/plain' }, '415 unsupported_media_type'],
    [
      'a parameter of the type',
      'POST',
      '/v1/agents',
      minimal,
      { 'content-type': 'application/json; charset=utf-8' },
      '201 ok',
    ],
    [
      'empty parameters of the type',
      'POST',
      '/v1/agents',
      minimal,
      { 'content-type': 'application/json; ;charset=utf-8 ;' },
      '201 ok',
    ],
    [
      'junk behind empty parameters',
      'POST',
      '/v1/agents',
      minimal,
      { 'content-type': `application/json${'; '.repeat(90)}a` },
      '415 unsupported_media_type',
    ],
    [
      'a tab in the type',
      'POST',
      '/v1/agents',
      minimal,
      { 'content-type': 'application/json\ta' },
      '415 unsupported_media_type',
    ],
    [
      'junk behind the type',
      'POST',
      '/v1/agents',
      minimal,
      { 'content-type': 'application/json; a' },
      '415 unsupported_media_type',
    ],
    [
      'a type that only starts the same',
      'POST',
      '/v1/agents',
      minimal,
      { 'content-type': 'application/jsonx' },
      '415 unsupported_media_type',
    ],
    ['an encoding', 'POST', '/v1/agents', minimal, { 'content-encoding': 'gzip' }, '415 unsupported_media_type'],
    [
      '__proto__',
      'POST',
      '/v1/sessions/ses_1/turns',
      '{"input":{"content":[{"type":"text","text":"x","a":{"__proto__":{"x":1}}}]}}',
      {},
      '400 bad_request',
    ],
    [
      'constructor.prototype',
      'PATCH',
      '/v1/agents/agent_1',
      '{"metadata":{"c\\u006fnstructor":{"prototype":{}}}}',
      {},
      '400 bad_request',
    ],
    ['65 levels', 'POST', '/v1/agents', '['.repeat(65) + ']'.repeat(65), {}, '400 bad_request'],
    [
      'an unknown member of a configuration body',
      'POST',
      '/v1/agents',
      '{"name":"a","org_id":"x"}',
      {},
      '400 bad_request',
    ],
    [
      'an unknown member of a runtime body',
      'POST',
      '/v1/sessions/ses_1/turns',
      '{"input":{"content":[{"type":"text","text":"x"}]},"later":1}',
      {},
      '202 ok',
    ],
  ])('%s', async (_what, method, path, body, headers, expected) => {
    expect(
      await code(method, path, { headers: headers as Record<string, string>, ...(body === undefined ? {} : { body }) }),
    ).toBe(expected);
  });

  it('says what is wrong where', async () => {
    const answer = await call('POST', '/v1/agents', { body: '{"name":5,"extra":1}' });
    expect(answer.json().error.details).toEqual({
      issues: expect.arrayContaining([
        { path: '/name', message: 'must be string' },
        { path: '/extra', message: 'is not a known member' },
      ]) as unknown,
    });
    const blocks = await call('POST', '/v1/sessions/s/turns', {
      body: '{"input":{"content":[{"type":"text"},{"type":"nope"}]}}',
    });
    expect(blocks.json().error.details).toEqual({
      issues: [
        { path: '/input/content/0/text', message: 'is required' },
        { path: '/input/content/1/type', message: 'is not one of the known values' },
      ],
    });
  });

  it('types the query', async () => {
    expect((await call('GET', '/v1/agents?limit=5&later=1')).json()).toMatchObject({ query: { limit: 5 } });
    expect((await call('GET', '/v1/agents')).json()).toMatchObject({ query: { limit: 20 } });
    for (const bad of ['limit=0', 'limit=101', 'limit=x', 'limit=', 'limit=1&limit=2', 'status=nope']) {
      const answer = await call('GET', `/v1/agents?${bad}`);
      expect([answer.status, (answer.json().error.details?.['issues'] as { path: string }[])[0]?.path]).toEqual([
        400,
        `query.${bad.split('=')[0]}`,
      ]);
    }
  });

  it('refuses a body over its limit at once and closes', async () => {
    const declared = await raw(
      `POST /v1/agents HTTP/1.1\r\nauthorization: Bearer ${keyOf('admin')}\r\ncontent-type: application/json\r\ncontent-length: 2000000`,
    );
    expect([declared.status, declared.headers['connection'], (JSON.parse(declared.body) as Envelope).error]).toEqual([
      413,
      'close',
      expect.objectContaining({ code: 'payload_too_large', details: { limit_bytes: 1_048_576 } }),
    ]);
    const large = JSON.stringify({ input: { content: [{ type: 'text', text: 'x'.repeat(2_000_000) }] } });
    expect(await code('POST', '/v1/agents', { body: large })).toBe('413 payload_too_large');
    expect(await code('POST', '/v1/sessions/s/turns', { body: large })).toBe('202 ok');
  });
});

describe('connections', () => {
  const parsed = (text: string) => {
    const answer = parsedAnswer(text);
    return [
      answer.status,
      (JSON.parse(answer.body) as Envelope).error.code,
      answer.headers['connection'],
      answer.headers['x-request-id'] !== undefined,
    ];
  };

  it('cuts slow headers and slow bodies off', async () => {
    expect(parsed(await rawExchange(url, 'GET /v1/agents HTTP/1.1\r\nHost: x\r\n'))).toEqual([
      408,
      'request_timeout',
      'close',
      true,
    ]);
    const head = `POST /v1/agents HTTP/1.1\r\nHost: x\r\nauthorization: Bearer ${keyOf('admin')}\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{`;
    expect(parsed(await rawExchange(url, head))).toEqual([408, 'request_timeout', 'close', true]);
  });

  it('refuses fat and many headers', async () => {
    expect(
      parsed(await rawExchange(url, `GET /v1/agents HTTP/1.1\r\nHost: x\r\nx: ${'y'.repeat(17_000)}\r\n\r\n`)),
    ).toEqual([431, 'headers_too_large', 'close', true]);
    const many = Array.from({ length: 120 }, (_none, index) => `h${index}: 1`).join('\r\n');
    expect(parsed(await rawExchange(url, `GET /v1/agents HTTP/1.1\r\nHost: x\r\n${many}\r\n\r\n`))).toEqual([
      431,
      'headers_too_large',
      'close',
      true,
    ]);
  });

  it('refuses what is not HTTP, and a request without a host', async () => {
    expect(parsed(await rawExchange(url, 'nonsense\r\n\r\n'))).toEqual([400, 'bad_request', 'close', true]);
    expect(parsed(await rawExchange(url, 'GET /v1/agents HTTP/1.1\r\n\r\n'))).toEqual([
      400,
      'bad_request',
      'close',
      true,
    ]);
    expect(parsed(await rawExchange(url, 'GET /v1/agents HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n'))).toEqual([
      400,
      'bad_request',
      'close',
      true,
    ]);
    expect(parsed(await rawExchange(url, 'GET /healthz HTTP/1.1\r\nHost: a\r\nHOST: a\r\n\r\n'))).toEqual([
      400,
      'bad_request',
      'close',
      true,
    ]);
  });
});

describe('answers', () => {
  it('keeps inner faults inside and logs them with the request id', async () => {
    const answer = await call('GET', '/v1/agents/agent_boom', { headers: { 'x-request-id': 'boom-1' } });
    expect([answer.status, answer.json().error.code, answer.text.includes('secret inner')]).toEqual([
      500,
      'internal_error',
      false,
    ]);
    expect(lines.some((line) => line.includes('boom-1') && line.includes('secret inner text'))).toBe(true);
  });

  it('gives refusals and absent stores their status', async () => {
    expect((await call('GET', '/v1/agents/agent_taken')).json()).toEqual({
      error: { code: 'conflict', message: 'conflict', details: { field: 'name' } },
    });
    const down = await call('GET', '/v1/agents/agent_down');
    expect([down.status, down.headers.get('retry-after'), Object.keys(down.json().error)]).toEqual([
      503,
      '2',
      ['code', 'message'],
    ]);
  });

  it('compresses on request, never small answers', async () => {
    expect(
      (await call('GET', '/v1/agents/agent_big', { headers: { 'accept-encoding': 'gzip' } })).headers.get(
        'content-encoding',
      ),
    ).toBe('gzip');
    expect(
      (await call('GET', '/v1/agents/agent_big', { headers: { 'accept-encoding': 'gzip;q=0' } })).headers.get(
        'content-encoding',
      ),
    ).toBeNull();
    expect(
      (await call('GET', '/v1/agents/agent_1', { headers: { 'accept-encoding': 'gzip' } })).headers.get(
        'content-encoding',
      ),
    ).toBeNull();
  });

  it('lets only the named origins in', async () => {
    const preflight = (origin: string) =>
      call('OPTIONS', '/v1/agents', { key: null, headers: { origin, 'access-control-request-method': 'POST' } });
    expect((await preflight('https://ok.example')).status).toBe(204);
    const other = await preflight('https://evil.example');
    expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([405, null]);
  });

  it('serves its own contract and measures', async () => {
    expect((await call('GET', '/openapi.json', { key: null })).json()).toMatchObject({ openapi: '3.1.0' });
    expect((await call('GET', '/openapi.yaml', { key: null })).text).toContain('openapi: 3.1.0');
    expect((await call('GET', '/metrics', { key: null })).text).toContain('http_request_duration_seconds');
  });

  it('logs no header, query or body', async () => {
    await call('GET', '/v1/agents?name=canaryquery', { headers: { 'x-canary': 'canaryheader' } });
    await call('POST', '/v1/agents', { body: '{"name":"canarybody","nope":1}' });
    expect(lines.join('')).not.toMatch(/canary/);
  });
});

describe('behind the door of a fleet', () => {
  @Controller()
  class Inside {
    @Post('/internal/commands') @HttpCode(200) command(@Body() body: object, @Who() who: Identity) {
      return { body, org: who.orgId };
    }
    @Get('/v1/agents') list(@Who() who: Identity) {
      return { items: [], has_more: false, by: who.principalId };
    }
  }
  @Module({ controllers: [Inside] })
  class InsideModule {}

  it('only signed identities for this service are believed', async () => {
    const inside = await startApp('access-service', [InsideModule], {
      clock,
      log: app.core.log,
      identities: 'signed',
      internalPaths: ['/internal/commands'],
      graceMs: 200,
      env: { SVC_PORT: '0', SVC_DATA_DIR: mkdtempSync(join(tmpdir(), 'svc-')) },
    });
    const who: Identity = {
      orgId: 'org_9',
      principalId: 'svc_9',
      kind: 'service',
      apiKeyId: null,
      permissions: impliedPermissions(['svc.resource.view']),
      roles: [],
      cap: null,
      requestId: 'r',
      ip: null,
    };
    const ask = async (method: string, path: string, token: string) => {
      const answer = await fetch(inside.url + path, {
        method,
        headers: {
          'x-svc-identity': token,
          authorization: `Bearer ${keyOf('admin')}`,
          'content-type': 'application/json',
        },
        ...(method === 'POST' ? { body: '{"a":1}' } : {}),
      });
      return [answer.status, await answer.json(), answer.headers.get('x-ratelimit-limit')];
    };
    const mint = (audience: string) => inside.core.identityTokens.mint(who, audience);
    expect(await ask('GET', '/v1/agents', mint('access-service'))).toEqual([
      200,
      { items: [], has_more: false, by: 'svc_9' },
      null,
    ]);
    expect(await ask('POST', '/internal/commands', mint('access-service'))).toEqual([
      200,
      { body: { a: 1 }, org: 'org_9' },
      null,
    ]);
    expect((await ask('GET', '/v1/agents', mint('session-service')))[0]).toBe(401);
    expect((await ask('POST', '/internal/commands', 'i1.x'))[0]).toBe(401);
    await inside.stop();
  });
});

describe('a stop', () => {
  it('lets a request finish that has begun, and takes none after', async () => {
    let finish: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      @Controller()
      class Slow {
        @Get('/v1/agents') async list() {
          const done = new Promise<void>((end) => {
            finish = end;
          });
          resolve();
          await done;
          return { items: [], has_more: false };
        }
      }
      @Module({ controllers: [Slow], providers: [{ provide: IdentitySource, useClass: KnownKeys }] })
      class SlowModule {}
      void startApp('slow', [SlowModule], {
        clock,
        log: app.core.log,
        env: { SVC_PORT: '0', SVC_DATA_DIR: mkdtempSync(join(tmpdir(), 'svc-')) },
      }).then((started) => {
        slow = started;
        answering = fetch(`${started.url}/v1/agents`, { headers: { authorization: `Bearer ${keyOf('admin')}` } });
      });
    });
    let slow: RunningApp | undefined;
    let answering: Promise<Response> | undefined;
    await begun;
    const stopped = slow?.stop();
    expect(await slow?.core.readiness.faults()).toEqual({ process: 'stopping' });
    finish();
    expect((await answering)?.status).toBe(200);
    await stopped;
    await expect(fetch(`${slow?.url}/healthz`)).rejects.toThrow();
  });
});
