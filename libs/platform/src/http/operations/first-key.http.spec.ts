import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { StoreUnavailable } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import {
  IdentitySource,
  PinoLog,
  startApp,
  type FirstKeyIssued,
  type RunningApp,
  type StartOptions,
} from '../../index.js';
import { digestOf } from '../pages/page-policy.js';
import { parsedAnswer, rawExchange } from '../testing.js';

class NoKeys extends IdentitySource {
  override identify(): Promise<null> {
    return Promise.resolve(null);
  }
}

@Module({ providers: [{ provide: IdentitySource, useClass: NoKeys }] })
class EmptyModule {}

const folder = mkdtempSync(join(tmpdir(), 'first-key-'));
const issued: FirstKeyIssued = { key: 'svck_made', expires_at: '2026-01-01T12:00:00.000Z' };
const lines: string[] = [];
const running: RunningApp[] = [];
let clock: ManualClock;

beforeAll(() => {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<link nonce="__CSP_NONCE__">');
  writeFileSync(
    join(folder, 'manifest.json'),
    JSON.stringify({ scripts: [digestOf('')], trustedTypes: [], assets: {} }),
  );
});
afterAll(async () => {
  for (const app of running) await app.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  clock = new ManualClock();
  lines.length = 0;
});

async function started(options: Partial<StartOptions> = {}, env: Record<string, string> = {}): Promise<RunningApp> {
  const app = await startApp('test', [EmptyModule], {
    clock,
    log: PinoLog.create({
      app: 'test',
      level: 'debug',
      pretty: false,
      destination: { write: (line: string) => lines.push(line) },
    }),
    consoleFolder: folder,
    graceMs: 200,
    env: { SVC_PORT: '0', SVC_DATA_DIR: mkdtempSync(join(folder, 'data-')), ...env },
    ...options,
  });
  running.push(app);
  return app;
}

/** Opens the exchange; gives the code of the printed link. */
function opened(app: RunningApp, issue: () => Promise<FirstKeyIssued> = () => Promise.resolve(issued)): string {
  app.core.firstKey?.offer(issue);
  const [, code = ''] = /^#code=([A-Za-z0-9_-]{22})$/.exec(app.core.firstKey?.takeFragment() ?? '') ?? [];
  return code;
}

type Sent = { host?: string; path?: string; method?: string; headers?: string[]; to?: string };

async function asked(app: RunningApp, code: unknown, { host, path, method, headers = [], to }: Sent = {}) {
  const { port } = new URL(app.url);
  const body = JSON.stringify({ code });
  const text = await rawExchange(
    to ?? app.url,
    [
      `${method ?? 'POST'} ${path ?? '/v1/console/first-key'} HTTP/1.1`,
      `Host: ${host ?? `127.0.0.1:${port}`}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      'X-Request-Id: same',
      ...headers,
      '',
      body,
    ].join('\r\n'),
  );
  const { date: _date, ...kept } = parsedAnswer(text).headers;
  return { status: parsedAnswer(text).status, headers: kept, body: parsedAnswer(text).body };
}

describe('CO4: the code of the first start', () => {
  it('is exchanged once for a key, which is not stored on the way', async () => {
    const app = await started();
    const code = opened(app);
    expect(app.core.firstKey?.takeFragment()).toBe('');
    const { port } = new URL(app.url);
    const first = await asked(app, code, {
      headers: [`Origin: http://127.0.0.1:${port}`, 'Sec-Fetch-Site: same-origin'],
    });
    expect([first.status, JSON.parse(first.body), first.headers['cache-control']]).toEqual([200, issued, 'no-store']);
    const unknown = await asked(app, code, { path: '/v1/console/no-such-route' });
    expect(unknown.status).toBe(404);
    expect(await asked(app, code)).toEqual(unknown);
    expect(lines.join('\n')).not.toContain(code);
  });

  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.1.2.3', '[::1]'])(
    'comes under a name of this machine: %s',
    async (name) => {
      const app = await started();
      expect(await asked(app, opened(app), { host: `${name}:${new URL(app.url).port}` })).toMatchObject({
        status: 200,
      });
    },
  );

  it('is given to one of two that come at once', async () => {
    const app = await started();
    let issues = 0;
    const code = opened(app, async () => {
      issues += 1;
      await new Promise(setImmediate);
      return issued;
    });
    const answers = await Promise.all(Array.from({ length: 8 }, () => asked(app, code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(404)]);
    expect(issues).toBe(1);
  });

  it('is good for five minutes, and again where its key could not be issued', async () => {
    const app = await started();
    let isAway = true;
    const code = opened(app, () => (isAway ? Promise.reject(new StoreUnavailable('away')) : Promise.resolve(issued)));
    clock.advance(5 * 60_000 - 1);
    expect((await asked(app, code)).status).toBe(503);
    isAway = false;
    clock.advance(1);
    expect(await asked(app, code)).toEqual(await asked(app, code, { path: '/v1/console/no-such-route' }));
    expect(lines.join('\n')).not.toContain(code);
  });

  it('is answered as an unknown path where it is wrong, and as what it is where it is no code', async () => {
    const app = await started();
    const code = opened(app);
    const unknown = await asked(app, code, { path: '/v1/console/no-such-route' });
    const other = `${code.startsWith('A') ? 'B' : 'A'}${code.slice(1)}`;
    expect(await asked(app, other)).toEqual(unknown);
    for (const wrong of [`${code}=`, code.slice(1), 7, null, { code }])
      expect((await asked(app, wrong)).status).toBe(400);
    expect((await asked(app, code)).status).toBe(200);
  });

  it('is not there for who comes by another name, through a proxy, or from a page elsewhere', async () => {
    const app = await started();
    const { port } = new URL(app.url);
    const code = opened(app);
    const unknown = await asked(app, code, { path: '/v1/console/no-such-route' });
    const hosts = [
      'evil.example',
      `evil.example:${port}`,
      `localhost.evil:${port}`,
      `evil.localhost:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `localhost.:${port}`,
      `0.0.0.0:${port}`,
      `[::ffff:127.0.0.1]:${port}`,
      `192.168.0.1:${port}`,
      'localhost',
      '127.0.0.1:1',
      `127.0.0.1:${port}:${port}`,
      `user@127.0.0.1:${port}`,
      `2130706433:${port}`,
    ];
    for (const host of hosts) expect([host, await asked(app, code, { host })]).toEqual([host, unknown]);
    const headers = [
      'X-Forwarded-For: 127.0.0.1',
      'X-Forwarded-Host: localhost',
      'Forwarded: for=127.0.0.1',
      'Via: 1.1 proxy',
      'X-Real-IP: 127.0.0.1',
      'Origin: http://evil.example',
      `Origin: http://localhost:${port}`,
      `Origin: https://127.0.0.1:${port}`,
      'Origin: null',
      'Sec-Fetch-Site: cross-site',
      'Sec-Fetch-Site: same-site',
      'Sec-Fetch-Site: none',
    ];
    for (const header of headers)
      expect([header, await asked(app, code, { headers: [header] })]).toEqual([header, unknown]);
    expect((await asked(app, code)).status).toBe(200);
  });

  it('trusts no proxy, also where the settings trust one', async () => {
    const app = await started({}, { SVC_TRUSTED_PROXIES: '127.0.0.0/8' });
    const code = opened(app);
    expect((await asked(app, code, { headers: ['X-Forwarded-For: 127.0.0.1'] })).status).toBe(404);
  });

  it('hides its path from other methods, and where no code is open', async () => {
    const app = await started();
    const closed = await asked(app, 'no code', { headers: ['Content-Encoding: br'] });
    expect(closed).toEqual(
      await asked(app, 'no code', { path: '/v1/console/no-such-route', headers: ['Content-Encoding: br'] }),
    );
    const code = opened(app);
    for (const method of ['GET', 'PUT', 'OPTIONS'])
      expect(await asked(app, code, { method })).toEqual(
        await asked(app, code, { method, path: '/v1/console/no-such-route' }),
      );
  });

  it.each([
    ['without the console', {}, { SVC_CONSOLE: 'off' }],
    ['where it was not built', { consoleFolder: null }, {}],
    ['where other machines reach it', {}, { SVC_HOST: '0.0.0.0' }],
  ] as const)('is not offered %s', async (_name, options, env) => {
    const app = await started(options, env);
    expect(app.core.firstKey).toBeNull();
    expect((await asked(app, 'A'.repeat(22), { to: app.url.replace('0.0.0.0', '127.0.0.1') })).status).toBe(404);
  });

  it('does not load in a frame', async () => {
    const page = await fetch(`${(await started()).url}/console`);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('x-frame-options')).toBe('DENY');
  });
});
