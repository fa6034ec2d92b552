// Takes pictures of the console's pages with the demonstration's data: light, dark and at 390 pixels, into
// docs/images/console. node tools/run.mjs tools/console-screenshots.mjs [page ...] [--into <folder>]
import { mkdirSync, statSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { build } from './build.mjs';
import { buildClient } from './client.mjs';
import { buildConsole } from './console.mjs';
import { startForConsole } from './console/service.mjs';
import { installChromium } from './engines/install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const keyItem = 'agent-service.key';
const bytesMax = 120_000;
const settledMs = 15_000;
const desktop = { width: 1280, height: 800 };
const looks = [
  { name: 'light', colorScheme: 'light', viewport: desktop },
  { name: 'dark', colorScheme: 'dark', viewport: desktop },
  { name: 'narrow', colorScheme: 'light', viewport: { width: 390, height: 844 } },
];

/**
 * The pages by the name of their picture. `at` is an address under /console, or a function that finds it with the client;
 * `also` does something on the page before the picture is taken.
 */
const pages = [
  { name: 'login', at: '', withoutKey: true },
  { name: 'overview', at: '', also: (page) => page.locator('.uplot canvas').nth(2).waitFor() },
  { name: 'palette', at: '', also: (page) => page.keyboard.press('Control+k') },
  { name: 'skills', at: '/skills' },
  {
    name: 'skill',
    at: async (svc) => `/skills/${(await svc.skills.list({ name: 'demo-refunds' }).all())[0].id}`,
    also: (page) => page.locator('.cm-content').waitFor(),
  },
];

/** Waits until nothing loads any more. */
async function settled(page) {
  await page.locator('h1').waitFor({ timeout: settledMs });
  await page.waitForFunction(() => document.querySelector('.skeleton') === null, undefined, { timeout: settledMs });
}

async function pictures(browser, { url, key, svc, wanted, into }) {
  for (const { name: look, ...options } of looks) {
    const context = await browser.newContext({ ...options, locale: 'en-GB', reducedMotion: 'reduce' });
    for (const { name, at, withoutKey = false, also } of wanted) {
      const page = await context.newPage();
      await page.goto(`${url}/healthz`);
      if (!withoutKey) await page.evaluate(([item, value]) => sessionStorage.setItem(item, value), [keyItem, key]);
      await page.goto(`${url}/console${typeof at === 'string' ? at : await at(svc)}`);
      await settled(page);
      await also?.(page);
      await settled(page);
      const path = join(into, `${name}-${look}.png`);
      await page.screenshot({ path, animations: 'disabled' });
      const { size } = statSync(path);
      console.error(`${path} ${Math.ceil(size / 1024)} KB`);
      if (size > bytesMax) throw new Error(`${path} has ${size} bytes, at most ${bytesMax}`);
      await page.close();
    }
    await context.close();
  }
}

const args = process.argv.slice(2);
const at = args.indexOf('--into');
const into = at < 0 ? join(root, 'docs', 'images', 'console') : resolve(args.splice(at, 2)[1]);
const wanted = args.length === 0 ? pages : pages.filter(({ name }) => args.includes(name));
if (wanted.length === 0) throw new Error(`pages are ${pages.map(({ name }) => name).join(', ')}`);
if (args.length === 0 && at < 0) rmSync(into, { recursive: true, force: true });
mkdirSync(into, { recursive: true });
await Promise.all([build(), buildClient(), buildConsole()]);
const { AgentService } = await import('../libs/client/dist/index.js');
const service = await startForConsole();
const { BASE_URL: url, OWNER_KEY: key } = service.env;
const browser = await chromium.launch({ executablePath: installChromium(), args: ['--no-sandbox'] });
try {
  await pictures(browser, { url, key, svc: new AgentService({ baseUrl: url, key }), wanted, into });
} finally {
  await browser.close();
  await service.stop();
}
