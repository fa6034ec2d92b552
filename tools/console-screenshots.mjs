// Takes pictures of the pages that the console's side bar links, of one thing of each list, and of what furnish.mjs adds
// to the demonstration's data: light, dark and at 390 pixels, into docs/images/console.
// node tools/run.mjs tools/console-screenshots.mjs [page ...] [--into <folder>]
import { mkdirSync, statSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { build } from './build.mjs';
import { buildClient } from './client.mjs';
import { buildConsole } from './console.mjs';
import { furnish } from './console/furnish.mjs';
import { startForConsole } from './console/service.mjs';
import { installChromium } from './engines/install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const keyItem = 'agent-service.key';
const bytesMax = 160_000;
const settledMs = 15_000;
/** So long nothing may have been read before a picture: names come behind the ids that they stand for. */
const quietMs = 500;
const desktop = { width: 1280, height: 800 };
const looks = [
  { name: 'light', colorScheme: 'light', viewport: desktop },
  { name: 'dark', colorScheme: 'dark', viewport: desktop },
  { name: 'narrow', colorScheme: 'light', viewport: { width: 390, height: 844 } },
];

/** What is pictured beside the pages of the side bar; `also` does something on the page first. */
const others = [
  { name: 'login', path: '/console', withoutKey: true },
  { name: 'palette', path: '/console', also: (page) => page.keyboard.press('Control+k') },
  { name: 'interactions', path: '/interactions' },
];
/** Which row of a list its picture of one thing shows; the first one else. */
const rowOf = { sessions: 'Where is o-1003?', skills: 'demo-refunds', agents: 'support', tables: 'demo_orders' };
/** What is drawn late. */
const lateParts = '.cm-content, .uplot canvas';

/** Waits until nothing loads any more. */
async function settled(page) {
  await page.locator('h1').waitFor({ timeout: settledMs });
  await page.locator('.skeleton').first().waitFor({ state: 'detached', timeout: settledMs });
  await page.waitForFunction(isQuiet, quietMs, { timeout: settledMs });
}

/** In the page: whether so long nothing was read to its end. */
function isQuiet(forMs) {
  const count = performance.getEntriesByType('resource').length;
  if (globalThis.readBefore?.count !== count) globalThis.readBefore = { count, at: performance.now() };
  return performance.now() - globalThis.readBefore.at > forMs;
}

/** The pages that the side bar links, and for each list one thing of it, by the name of their picture. */
async function pagesOf(browser, { url, key }) {
  const page = await openedTab(await browser.newContext({ viewport: desktop }), url, key);
  const links = await page.locator('nav a[href]').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  const found = [];
  for (const path of links) {
    const name = path.split('/')[2] || 'overview';
    found.push({ name, path });
    await page.goto(`${url}${path}`);
    await settled(page);
    const rows = page.locator(`main [data-row] a[href^="${path}/"]`);
    const wanted = rowOf[name] === undefined ? rows : rows.filter({ hasText: rowOf[name] });
    const one = name === 'overview' ? null : await firstOf(wanted);
    if (one !== null) found.push({ name: `${name}-one`, path: one });
    if (name === 'agents' && one !== null) found.push({ name: 'agents-memory', path: `${one}/memory` });
  }
  await page.context().close();
  return found;
}

async function firstOf(rows) {
  return (await rows.count()) === 0 ? null : rows.first().getAttribute('href');
}

async function openedTab(context, url, key) {
  const page = await context.newPage();
  await page.goto(`${url}/console`);
  if (key === null) return page;
  await page.evaluate(([item, value]) => sessionStorage.setItem(item, value), [keyItem, key]);
  await page.goto(`${url}/console`);
  await page.locator('nav a[href]').first().waitFor({ state: 'attached' });
  return page;
}

async function pictures(browser, { url, key, wanted, into }) {
  for (const { name: look, ...options } of looks)
    for (const { name, path, withoutKey = false, also } of wanted) {
      const context = await browser.newContext({ ...options, locale: 'en-GB', reducedMotion: 'reduce' });
      const page = await openedTab(context, url, withoutKey ? null : key);
      if (!withoutKey) await page.goto(`${url}${path}`);
      await settled(page);
      if (await page.locator('.cm-editor, figure').count()) await page.locator(lateParts).first().waitFor();
      await also?.(page);
      await settled(page);
      const file = join(into, `${name}-${look}.png`);
      await page.screenshot({ path: file, animations: 'disabled' });
      const { size } = statSync(file);
      console.error(`${file} ${Math.ceil(size / 1024)} KB`);
      if (size > bytesMax) throw new Error(`${file} has ${size} bytes, at most ${bytesMax}`);
      await context.close();
    }
}

const args = process.argv.slice(2);
const at = args.indexOf('--into');
const into = at < 0 ? join(root, 'docs', 'images', 'console') : resolve(args.splice(at, 2)[1]);
if (args.length === 0 && at < 0) rmSync(into, { recursive: true, force: true });
mkdirSync(into, { recursive: true });
await Promise.all([build(), buildClient(), buildConsole()]);
const service = await startForConsole();
const { BASE_URL: url, OWNER_KEY: key } = service.env;
const browser = await chromium.launch({ executablePath: installChromium(), args: ['--no-sandbox'] });
try {
  const added = await furnish(url, key);
  const pages = [...others, ...(await pagesOf(browser, { url, key })), ...added];
  const wanted = args.length === 0 ? pages : pages.filter(({ name }) => args.includes(name));
  if (wanted.length === 0) throw new Error(`pages are ${pages.map(({ name }) => name).join(', ')}`);
  await pictures(browser, { url, key, wanted, into });
} finally {
  await browser.close();
  await service.stop();
}
