import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { ManualClock } from '@aos/kernel/testing';
import { IdentitySource, PinoLog, startApp, type RunningApp, type StartOptions } from '../../index.js';
import { digestOf } from '../pages/page-policy.js';
import { parsedAnswer, rawExchange } from '../testing.js';
import { consoleFolder, readConsoleBuild } from '../pages/console-build.js';

class NoKeys extends IdentitySource {
  override identify(): Promise<null> {
    return Promise.resolve(null);
  }
}

@Module({ providers: [{ provide: IdentitySource, useClass: NoKeys }] })
class EmptyModule {}

const folder = mkdtempSync(join(tmpdir(), 'console-'));
const loader = 'document.title';
const script = 'export {};'.repeat(100);
const running: RunningApp[] = [];

afterAll(async () => {
  for (const app of running) await app.stop();
  rmSync(folder, { recursive: true });
});

/** A build of the shape that `apps/console` has. */
function built(name: string, manifest: Record<string, unknown> = {}): string {
  const made = join(folder, name);
  mkdirSync(join(made, 'assets'), { recursive: true });
  writeFileSync(
    join(made, 'index.html'),
    `<meta property="csp-nonce" nonce="__CSP_NONCE__"><link nonce="__CSP_NONCE__"><script>${loader}</script>`,
  );
  writeFileSync(join(made, 'assets', 'index-1a.js'), script);
  writeFileSync(join(made, 'assets', 'style-2b.css'), 'a{}');
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  const assets = {
    'assets/index-1a.js': { type: 'text/javascript; charset=utf-8', gzip: 1 },
    'assets/style-2b.css': { type: 'text/css; charset=utf-8', gzip: 1 },
  };
  const whole = { scripts: [digestOf(loader)], trustedTypes: ['console-entry'], assets, builtFrom: 'x', ...manifest };
  writeFileSync(join(made, 'manifest.json'), JSON.stringify(whole));
  return made;
}

async function started(options: Partial<StartOptions> = {}, env: Record<string, string> = {}): Promise<string> {
  const app = await startApp('test', [EmptyModule], {
    clock: new ManualClock(),
    log: PinoLog.create({ app: 'test', level: 'silent', pretty: false }),
    consoleFolder: built('whole'),
    graceMs: 200,
    env: { SVC_PORT: '0', SVC_DATA_DIR: mkdtempSync(join(folder, 'data-')), ...env },
    ...options,
  });
  running.push(app);
  return app.url;
}

const read = (url: string, path: string, init: RequestInit = {}) => fetch(url + path, { redirect: 'manual', ...init });

describe('CO3: the console', () => {
  let url: string;
  beforeAll(async () => {
    url = await started();
  });

  it('is where the address leads', async () => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await read(url, '/', { method });
      expect([answer.status, answer.headers.get('location')]).toEqual([302, '/console']);
    }
  });

  it('is one page at every path but those of its files, each time with a nonce of its own', async () => {
    const nonces = new Set<string>();
    for (const path of [
      '/console',
      '/console/',
      '/console/sessions/ses_1',
      '/console/a/b/c/d?x=1',
      '/console/manifest.json',
    ]) {
      const answer = await read(url, path);
      const html = await answer.text();
      const [nonce = ''] = /(?<=nonce=")[^"]+/.exec(html) ?? [];
      expect([path, answer.status, html.includes(loader)]).toEqual([path, 200, true]);
      expect(html).not.toContain('__CSP_NONCE__');
      expect(nonce).toMatch(/^[A-Za-z0-9+/]{22}==$/);
      nonces.add(nonce);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy':
          `default-src 'none'; script-src 'strict-dynamic' '${digestOf(loader)}'; style-src 'nonce-${nonce}'; ` +
          "img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
          "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types console-entry",
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'cross-origin-opener-policy': 'same-origin',
      });
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
    expect(nonces.size).toBe(5);
    const head = await read(url, '/console/agents', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect([(await read(url, '/consoles')).status, (await read(url, '/Console')).status]).toEqual([404, 404]);
    const posted = await read(url, '/console/agents', { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('has files that are kept by browsers for ever, small where that is understood', async () => {
    const path = '/console/assets/index-1a.js';
    const plain = parsedAnswer(await rawExchange(url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`));
    expect([plain.status, plain.body]).toEqual([200, script]);
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      etag: `"${digestOf(script)}"`,
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
    });
    const small = await read(url, path, { headers: { 'accept-encoding': 'gzip' } });
    expect([small.headers.get('content-encoding'), await small.text()]).toEqual(['gzip', script]);
    expect(Number(small.headers.get('content-length'))).toBeLessThan(script.length / 2);
    const again = await read(url, path, { headers: { 'if-none-match': plain.headers['etag'] ?? '' } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const head = await read(url, path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect((await read(url, '/console/assets/style-2b.css')).headers.get('content-type')).toContain('text/css');
  });

  it.each([
    '/console/assets/other.js',
    '/console/assets/',
    '/console/assets/../index.html',
    '/console/assets/..%2f..%2fsecret.txt',
    '/console/assets/%2e%2e/%2e%2e/secret.txt',
    '/console/../secret.txt',
    '/console/..%2fsecret.txt',
    '/console/%2e%2e%2fsecret.txt',
    '/console/assets%5c..%5c..%5csecret.txt',
    '/console/assets/index-1a.js%00',
    '/console/assets/__proto__',
    '/console//assets/index-1a.js',
  ])('gives nothing but its files: %s', async (path) => {
    const answer = parsedAnswer(await rawExchange(url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`));
    expect([200, 400, 404]).toContain(answer.status);
    expect(answer.body).not.toMatch(/secret|export/);
    if (answer.status === 200) expect(answer.body).toContain(loader);
    if (path.startsWith('/console/assets/')) expect(answer.status).toBe(404);
  });

  it('is off where SVC_CONSOLE says so, where it is not built, and in services behind the gateway', async () => {
    for (const off of [
      await started({}, { SVC_CONSOLE: 'off' }),
      await started({ consoleFolder: null }),
      await started({ identities: 'signed' }),
    ]) {
      const first = await read(off, '/');
      const text = await first.text();
      expect([first.status, (text.match(/^ {3}curl/gm) ?? []).length]).toEqual([200, 3]);
      for (const path of ['/console', '/console/', '/console/agents', '/console/assets/index-1a.js'])
        expect([path, (await read(off, path)).status]).toEqual([path, 404]);
    }
  });
});

describe('CO3: a build of the console', () => {
  it.each([
    ['a script that is no digest', { scripts: ["sha256-x' 'unsafe-inline"] }],
    ['no script', { scripts: [] }],
    ['a policy that is no name', { trustedTypes: ["* 'allow-duplicates'"] }],
    ['a file elsewhere', { assets: { 'assets/../../secret.txt': { type: 'text/plain' } } }],
    ['a file that is not there', { assets: { 'assets/none.js': { type: 'text/javascript' } } }],
    ['too many files', { assets: Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`assets/${n}.js`, {}])) }],
  ])('with %s is refused', (name, manifest) => {
    const made = built(name.replaceAll(' ', '-'), manifest);
    expect(() => readConsoleBuild(made)).toThrow();
  });

  it('without a place for the nonce is refused', () => {
    const made = built('no-nonce');
    writeFileSync(join(made, 'index.html'), '<html></html>');
    expect(() => readConsoleBuild(made)).toThrow('nonce');
  });

  it('is found in the output that runs, and beside the packages that it loads', () => {
    const checkout = join(folder, 'checkout');
    const output = join(checkout, 'some', 'output');
    mkdirSync(join(output, 'apps'), { recursive: true });
    const between = built('checkout/some/apps/console/dist');
    expect(consoleFolder(output)).toBeNull();
    mkdirSync(join(checkout, 'node_modules'));
    expect(consoleFolder(output)).toBeNull();
    expect(consoleFolder(join(checkout, 'some'))).toBe(between);
    const beside = built('checkout/apps/console/dist');
    expect(consoleFolder(output)).toBe(beside);
    expect(consoleFolder(built('checkout/some/output/apps/console/dist').replace(/.apps.console.dist$/, ''))).toBe(
      join(output, 'apps', 'console', 'dist'),
    );
  });
});
