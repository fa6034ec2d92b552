import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AgentService } from '../../libs/client/src/index.js';
import { ConsoleTabs } from './flow.js';

const tabs = ConsoleTabs.forThisFile();
const root = join(__dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'first-start-'));
const refused = 'The link of the first start is used up. Log in with a key.';
let service: ChildProcess | null = null;
let link: URL;

/** Starts on the folder; gives the console's address as the service prints it. */
async function started(): Promise<URL> {
  const env = { ...process.env, SVC_PORT: '0', SVC_DATA_DIR: folder, SVC_LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, [join(root, 'tools', 'start.mjs'), 'embedded'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  service = child;
  for await (const line of createInterface({ input: child.stdout })) {
    const [, address] = /^Console: (http:\S+)/.exec(line) ?? [];
    if (address !== undefined) return new URL(address);
  }
  throw new Error('the service printed no address of its console');
}

async function stop(): Promise<void> {
  if (service === null || service.exitCode !== null) return;
  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  await ended;
}

/** The status of the exchange under another `Host`, as a page of another name would be answered. */
function exchangedAs(host: string, code: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify({ code });
    const sent = request(
      new URL('/v1/console/first-key', link),
      { method: 'POST', headers: { host, 'content-type': 'application/json', 'content-length': body.length } },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

beforeAll(async () => {
  link = await started();
});

afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true });
});

describe('the link of the first start', () => {
  const code = (): string => link.hash.slice('#code='.length);

  it('has a code of 128 bits, which a page under another name gets nothing for', async () => {
    expect(code()).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(await exchangedAs('console.example', code())).not.toBe(200);
  });

  it('sends nothing for what is no code, and ends at the login form', async () => {
    const page = await tabs.open('/#code=short', { key: null, url: link.origin });
    await page.getByText(refused).waitFor();
    const sent = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    expect(new URL(page.url()).hash).toBe('');
    expect(sent.filter((url) => url.includes('/v1/'))).toEqual([]);
  });

  it('logs in with a key of its own, and leaves the code neither in the address nor in the history', async () => {
    const page = await tabs.open(`/skills${link.hash}`, { key: null, url: link.origin });
    await page.getByRole('heading', { level: 1, name: 'Skills' }).waitFor();
    expect(page.url()).toBe(`${link.origin}/console/skills`);
    const key = await page.evaluate(() => sessionStorage.getItem('agent-service.key'));
    const me = await new AgentService({ baseUrl: link.origin, key: key ?? '' }).me.get();
    const hours = (Date.parse(me.api_key.expires_at ?? '') - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(11.9);
    expect(hours).toBeLessThanOrEqual(12);
    expect(me.permissions).toContain('svc.org.admin');
    await page.goBack();
    expect(page.url()).not.toContain('code=');
  });

  it('is good once', async () => {
    const page = await tabs.open(`/${link.hash}`, { key: null, url: link.origin, expects: /404/ });
    await page.getByText(refused).waitFor();
    await page.getByLabel('API key').waitFor();
    expect(new URL(page.url()).hash).toBe('');
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  it('shows nothing in a frame of another page', async () => {
    const host: Server = createServer((_request, answer) => {
      answer.setHeader('content-type', 'text/html');
      answer.end(`<title>host</title><iframe src="${link.origin}/console"></iframe>`);
    }).listen(0, '127.0.0.1');
    await once(host, 'listening');
    const page = await tabs.open('/', { key: null, url: link.origin, expects: /frame|favicon/i });
    const refusal = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    await page.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}/`);
    await refusal;
    expect(await page.frameLocator('iframe').getByLabel('API key').count()).toBe(0);
    host.close();
  });

  it('is not printed by a later start', async () => {
    await stop();
    expect((await started()).hash).toBe('');
  });
});
