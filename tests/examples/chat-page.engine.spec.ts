import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Browser, Page } from 'playwright-core';
import { freePort } from '@aos/kernel/testing';
import { OwnService } from '../harness/embedded.js';
import { ExampleCopy, Tarballs } from './example.js';
import { launchBrowser } from '../../libs/platform/src/testing/browser.js';

const tarballs = new Tarballs();
let service: OwnService | null = null;
let copy: ExampleCopy | null = null;
let server: ChildProcess | null = null;
let browser: Browser;
let origin: string;
let key: string;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  service = await OwnService.start({ SVC_CORS_ORIGINS: origin });
  key = service.client.key ?? '';
  copy = await ExampleCopy.installed('chat-page', tarballs);
  const env = { SVC_URL: service.client.baseUrl, SVC_KEY: key, PAGE_PORT: String(port) };
  ({ child: server } = await copy.start('server.mjs', env, `chat page: ${origin}/?user=ann`));
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  if (server) {
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
  }
  await service?.remove();
  copy?.remove();
  tarballs.remove();
});

/** The page of one end user in a browser of its own; `sent` holds what it sent to the service. */
async function opened(user: string): Promise<{ page: Page; sent: string[] }> {
  const page = await (await browser.newContext()).newPage();
  const sent: string[] = [];
  page.on('request', (request) => {
    const { authorization = '' } = request.headers();
    sent.push(`${request.url()} ${authorization} ${request.postData() ?? ''}`);
  });
  await page.goto(`${origin}/?user=${user}`);
  await page.getByLabel('Message').waitFor();
  return { page, sent };
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('[data-role=assistant]', { hasText: text }).waitFor();
  await page.getByRole('button', { name: 'Send' }).waitFor();
}

const lines = (page: Page): Promise<string[]> => page.locator('li').allInnerTexts();

describe('the example chat-page', () => {
  it('streams a conversation into the page, and shows it again after a reload', async () => {
    const { page } = await opened('cleo');
    await say(page, 'good morning');
    expect(await lines(page)).toEqual(['cleo good morning', 'host You said: good morning']);
    await page.reload();
    await page.locator('[data-role=assistant]').waitFor();
    expect(await lines(page)).toEqual(['cleo good morning', 'host You said: good morning']);
    await page.context().close();
  });

  it('shows two end users nothing of each other, and has no key in the page', async () => {
    const [ann, ben] = await Promise.all([opened('ann'), opened('ben')]);
    await say(ann.page, 'my number is 4711');
    await say(ben.page, 'hello');
    await ben.page.reload();
    await ben.page.locator('[data-role=assistant]').waitFor();
    expect(await lines(ben.page)).toEqual(['ben hello', 'host You said: hello']);
    expect(await lines(ann.page)).toEqual(['ann my number is 4711', 'host You said: my number is 4711']);
    const session = /\/v1\/sessions\/(ses_[0-9a-z]+)/.exec(ann.sent.join('\n'))?.[1] ?? '';
    const bearer = /Bearer (\S+)/.exec(ben.sent.join('\n'))?.[1] ?? '';
    const headers = { authorization: `Bearer ${bearer}` };
    const foreign = await fetch(`${service?.client.baseUrl}/v1/sessions/${session}/messages`, { headers });
    expect([session.slice(0, 4), foreign.status]).toEqual(['ses_', 404]);
    const everything = [...ann.sent, ...ben.sent, await (await fetch(`${origin}/page.js`)).text()].join('\n');
    expect(everything).not.toContain(key);
    await Promise.all([ann.page.context().close(), ben.page.context().close()]);
  });

  it('gives no token to one who has not logged in', async () => {
    expect((await fetch(`${origin}/token`, { method: 'POST' })).status).toBe(401);
  });
});
