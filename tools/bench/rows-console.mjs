// The console in Chromium: how much script it loads, and how a long transcript and a fast turn are shown. Needs Debian's
// Chromium, which is fetched once; it is measured only when it is named.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { build } from '../build.mjs';
import { buildConsole } from '../console.mjs';
import { installChromium } from '../engines/install.mjs';
import { caller } from './client.mjs';
import { pause, root, startService } from './processes.mjs';
import { invocation, makeAgent, tokens } from './requests.mjs';

const messages = 10_000;
const batch = 100;
const keyItem = 'agent-service.key';
const scrolls = 120;
const scrollPixels = 600;
const tokenCount = 400;
const tokenEveryMs = 10;
const rowsMs = 30_000;
const newest = `message ${messages - 1}`;
const transcript = '[role=log]';

export async function consoleRows(report) {
  const dist = join(root, 'dist');
  await Promise.all([build(dist), buildConsole()]);
  const server = await startService({}, null, dist);
  const browser = await chromium.launch({ executablePath: installChromium(), args: ['--no-sandbox'] });
  try {
    const client = caller(server, 2);
    const agent = await makeAgent(client);
    const tab = await opened(browser, server);
    await shell(report, tab, server);
    await longTranscript(report, tab, server, await writtenSession(client, agent));
    await fastTurn(report, tab, server, client, agent);
  } finally {
    await browser.close();
    await server.stop();
  }
}

async function opened(browser, { url, key }) {
  const tab = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await tab.goto(`${url}/console`);
  await tab.evaluate(([item, value]) => sessionStorage.setItem(item, value), [keyItem, key]);
  return tab;
}

/** All script until the overview stands, inline too, each file at gzip level 9. */
async function shell(report, tab, { url }) {
  const began = performance.now();
  await tab.goto(`${url}/console`);
  await tab.locator('.uplot canvas').nth(2).waitFor();
  const standsMs = performance.now() - began;
  const paths = await tab.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .flatMap(({ name }) => (name.endsWith('.js') ? [new URL(name).pathname] : [])),
  );
  const inline = await tab.locator('script:not([src])').allTextContents();
  const files = [...new Set(paths)].map((path) =>
    readFileSync(join(root, 'apps', path.replace('/console/', 'console/dist/'))),
  );
  const bytes = [...files, ...inline].reduce((sum, content) => sum + gzipSync(content, { level: 9 }).length, 0);
  report('console', 'script until the overview stands, KB at gzip 9', { ours: bytes / 1024, aim: '<= 220' });
  report('console', 'overview stands after, ms', { ours: standsMs });
}

async function writtenSession(client, agent) {
  const session = await client.post('/v1/sessions', { agent_id: agent, session_key: 'long' });
  for (let from = 0; from < messages; from += batch)
    await client.post(`/v1/sessions/${session.id}/messages`, {
      messages: Array.from({ length: batch }, (_, at) => ({
        role: (from + at) % 2 === 0 ? 'user' : 'assistant',
        content: [
          { type: 'text', text: `message ${from + at} ${'and some words more '.repeat(1 + ((from + at) % 7))}` },
        ],
      })),
    });
  return session.id;
}

async function longTranscript(report, tab, { url }, session) {
  const began = performance.now();
  await tab.goto(`${url}/console/sessions/${session}`);
  await tab.locator(transcript).getByText(newest, { exact: false }).first().waitFor({ timeout: rowsMs });
  report('console', `newest rows of ${messages} messages after, ms`, {
    ours: performance.now() - began,
    aim: '<= 1000',
  });
  const box = await tab.locator(transcript).boundingBox();
  await tab.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await tab.evaluate(noteFrames);
  for (let scroll = 0; scroll < scrolls; scroll += 1) {
    await tab.mouse.wheel(0, -scrollPixels);
    await pause(16);
  }
  const frames = await tab.evaluate(() => globalThis.notedFrames);
  frames.sort((a, b) => a - b);
  report('console', `longest frame while scrolling up ${scrolls} times, ms`, { ours: frames.at(-1), aim: '<= 50' });
  report('console', 'frame at the 99th percentile, ms', { ours: frames[Math.floor(frames.length * 0.99)] });
}

/** Runs in the page: how long each frame took from the one before. */
function noteFrames() {
  globalThis.notedFrames = [];
  let before = performance.now();
  const note = (now) => {
    globalThis.notedFrames.push(now - before);
    before = now;
    requestAnimationFrame(note);
  };
  requestAnimationFrame(note);
}

/** How many rows change while a turn writes a word each hundredth of a second. */
async function fastTurn(report, tab, { url }, client, agent) {
  const invoke = (text) => client.post('/v1/agents/invoke', invocation(agent, text, 'fast'));
  const { session_id: session } = await invoke(tokens(1));
  await tab.goto(`${url}/console/sessions/${session}`);
  await tab.locator(`${transcript} [data-index]`).first().waitFor();
  await tab.evaluate(noteRows, transcript);
  await invoke(tokens(tokenCount, tokenEveryMs));
  await tab
    .locator(transcript)
    .getByText(`tok${tokenCount - 1}`)
    .first()
    .waitFor({ timeout: rowsMs });
  const { batches, most } = await tab.evaluate(() => globalThis.notedRows());
  report('console', `rows that change with a word, of ${batches} batches, at most`, { ours: most, aim: '1' });
}

/** Runs in the page: in each batch of changes, the rows that had their text changed; the end of a turn adds rows. */
function noteRows(selector) {
  const batches = [];
  const observer = new MutationObserver((records) => {
    const rows = new Set();
    for (const { target, type } of records) {
      const element = target instanceof Element ? target : target.parentElement;
      const row = element?.closest('[data-index]');
      if (row && type !== 'attributes') rows.add(row.dataset.index);
    }
    if (rows.size > 0) batches.push(rows.size);
  });
  observer.observe(document.querySelector(selector), { subtree: true, childList: true, characterData: true });
  globalThis.notedRows = () => {
    const sorted = batches.sort((a, b) => a - b);
    return { batches: sorted.length, most: sorted[Math.floor(sorted.length * 0.98)] ?? 0 };
  };
}
