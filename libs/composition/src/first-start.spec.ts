import 'reflect-metadata';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '@aos/adapters/system';
import { PinoLog, startApp, type RunningApp } from '@aos/platform';
import { embeddedModules } from './embedded.js';

const hour = 3_600_000;
const folder = mkdtempSync(join(tmpdir(), 'first-start-'));
const built = join(folder, 'console');
let printed = '';
let app: RunningApp | null = null;

beforeAll(() => {
  mkdirSync(built);
  writeFileSync(join(built, 'index.html'), '<link nonce="__CSP_NONCE__">');
  const manifest = { scripts: [`sha256-${'A'.repeat(43)}=`], trustedTypes: [], assets: {} };
  writeFileSync(join(built, 'manifest.json'), JSON.stringify(manifest));
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(async () => {
  await app?.stop();
  app = null;
});
afterAll(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

async function start(data: string, env: Record<string, string> = {}): Promise<{ url: string; fragment: string }> {
  printed = '';
  app = await startApp('embedded', embeddedModules, {
    clock: new SystemClock(),
    consoleFolder: built,
    graceMs: 200,
    env: { SVC_PORT: '0', SVC_DATA_DIR: join(folder, data), ...env },
    log: PinoLog.create({
      app: 'embedded',
      level: 'debug',
      pretty: false,
      destination: { write: (line: string) => (printed += line) },
    }),
  });
  return { url: app.url, fragment: app.core.firstKey?.takeFragment() ?? '' };
}

async function exchanged(url: string, fragment: string): Promise<Response> {
  return fetch(`${url}/v1/console/first-key`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: fragment.slice('#code='.length) }),
  });
}

type Listed = { items: Record<string, unknown>[] };

async function read<T>(url: string, path: string, key: string): Promise<T> {
  return (await (await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })).json()) as T;
}

describe('CO4: the first start', () => {
  it('gives the console a key of its own, once; a later start gives none, and no Owner key', async () => {
    const { url, fragment } = await start('data');
    expect(printed.match(/export KEY=svck_/g)).toHaveLength(1);
    const before = Date.now();
    const answer = await exchanged(url, fragment);
    const { key, expires_at } = (await answer.json()) as { key: string; expires_at: string };
    expect(answer.status).toBe(200);
    expect((await exchanged(url, fragment)).status).toBe(404);
    const endsIn = Date.parse(expires_at) - before;
    expect([endsIn >= 12 * hour - 1, endsIn <= 12 * hour + 60_000]).toEqual([true, true]);
    const me = await read<{ api_key: Record<string, unknown>; permissions: string[] }>(url, '/v1/me', key);
    expect(me.api_key).toMatchObject({ expires_at });
    expect(me.permissions).toContain('svc.org.admin');
    const keys = await read<Listed>(url, '/v1/api-keys', key);
    expect(keys.items.find(({ id }) => id === me.api_key['id'])).toMatchObject({ org_role: 'Admin', expires_at });
    const audit = await read<Listed>(url, '/v1/audit', key);
    expect(JSON.stringify(audit.items)).toContain(String(me.api_key['id']));
    const code = fragment.slice('#code='.length);
    expect(printed).not.toContain(code);
    expect(JSON.stringify([keys, audit])).not.toContain(code);
    await app?.stop();
    const later = await start('data');
    expect([later.fragment, printed.includes('export KEY=')]).toEqual(['', false]);
    expect((await exchanged(later.url, fragment)).status).toBe(404);
    expect((await read<Record<string, unknown>>(later.url, '/v1/me', key))['permissions']).toBeDefined();
  });

  it('with an Owner key of the settings gives the link too, and prints no key', async () => {
    const { url, fragment } = await start('given', { SVC_BOOTSTRAP_OWNER_KEY: 'k'.repeat(40) });
    expect([fragment.length, printed.includes('export KEY=')]).toEqual([28, false]);
    expect((await exchanged(url, fragment)).status).toBe(200);
  });
});
