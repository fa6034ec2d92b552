import 'reflect-metadata';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '@aos/adapters/system';
import { embeddedModules } from '@aos/composition/embedded-program';
import { PinoLog, startApp } from '@aos/platform';
import { AgentService } from '../../libs/client/src/index.js';
import { FirstStart } from './first-start.js';
import { ConsoleTabs } from './flow.js';

const tabs = ConsoleTabs.forThisFile();
const folder = mkdtempSync(join(tmpdir(), 'first-start-'));
const fiveMinutesMs = 5 * 60_000;
const refused = 'The link of the first start is used up. Log in with a key.';
/** The system's clock, of which some time may be let pass at once. */
class PassingClock extends SystemClock {
  private passed = 0;

  override monotonic(): number {
    return super.monotonic() + this.passed;
  }

  pass(ms: number): void {
    this.passed += ms;
  }
}

let service: FirstStart;
let link: URL;

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
  service = await FirstStart.on(folder);
  link = service.link;
});

afterAll(async () => {
  await service?.stop();
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

  it('is good for five minutes', async () => {
    const clock = new PassingClock();
    const app = await startApp('embedded', embeddedModules, {
      clock,
      graceMs: 200,
      env: { SVC_PORT: '0', SVC_DATA_DIR: join(folder, 'late') },
      log: PinoLog.create({ app: 'embedded', level: 'silent', pretty: false }),
    });
    try {
      const fragment = app.core.firstKey?.takeFragment() ?? '';
      expect(fragment).toMatch(/^#code=/);
      clock.pass(fiveMinutesMs);
      const page = await tabs.open(`/${fragment}`, { key: null, url: app.url, expects: /404/ });
      await page.getByText(refused).waitFor();
      await page.getByLabel('API key').waitFor();
      expect([new URL(page.url()).hash, await page.evaluate(() => sessionStorage.length)]).toEqual(['', 0]);
    } finally {
      await app.stop();
    }
  });

  it('is not printed by a later start', async () => {
    await service.stop();
    service = await FirstStart.on(folder);
    expect([service.link.hash, service.ownerKey]).toEqual(['', '']);
  });
});
