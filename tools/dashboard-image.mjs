// Draws docs/images/dashboard.png: a service under a little load, a real Prometheus (from Debian's package) that
// scrapes it, and the dashboard's own queries, in Chromium. node tools/run.mjs tools/dashboard-image.mjs [seconds of
// load]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { prometheusFolder } from './alerts.mjs';
import { installChromium } from './engines/install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const seconds = Number(process.argv[2] ?? 60);
const [servicePort, prometheusPort] = [18741, 18742];
const base = `http://127.0.0.1:${servicePort}`;
const ownerKey = `image_owner_${'0'.repeat(40)}`;
const folder = mkdtempSync(join(tmpdir(), 'dashboard-'));
const pause = (ms) =>
  new Promise((done) => {
    setTimeout(done, ms);
  });
const children = [];
const followers = [];

function start(command, args, env = {}) {
  const child = spawn(command, args, { stdio: 'ignore', env: { ...process.env, ...env } });
  children.push(child);
}

async function until(url) {
  for (let tries = 0; tries < 300; tries += 1) {
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    await pause(200);
  }
  throw new Error(`${url} does not answer`);
}

async function post(path, body) {
  const answer = await fetch(base + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${ownerKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function load(until) {
  const agent = await post('/v1/agents', { name: 'drawn', visibility: 'organization' });
  for (let round = 0; Date.now() < until; round += 1) {
    const text =
      round % 4 === 0
        ? JSON.stringify({ script: [{ wait_ms: 800 }, { say: 'Later.' }] })
        : `Round ${round} tokens=${20 + (round % 7) * 10}`;
    const { session_id: session } = await post('/v1/agents/invoke', {
      agent_ref: { id: agent.id },
      session: { mode: 'new' },
      input: { content: [{ type: 'text', text }] },
    });
    if (round % 30 === 0)
      followers.push(
        fetch(`${base}/v1/sessions/${session}/transcript/stream`, {
          headers: { authorization: `Bearer ${ownerKey}` },
          signal: AbortSignal.timeout(seconds * 1000),
        }),
      );
    if (round % 5 === 0)
      await fetch(`${base}/v1/sessions/${session}`, { headers: { authorization: `Bearer ${ownerKey}` } });
    await pause(120);
  }
}

async function series({ expr, legendFormat }, from, to) {
  const query = expr.replaceAll('$__rate_interval', '15s').replaceAll('$job', '.*');
  const answer = await fetch(
    `http://127.0.0.1:${prometheusPort}/api/v1/query_range?${new URLSearchParams({ query, start: String(from), end: String(to), step: '1' })}`,
  );
  const { status, data, error } = await answer.json();
  if (status !== 'success') throw new Error(`${expr}: ${error}`);
  return data.result.map(({ metric, values }) => ({
    name: legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_all, label) => metric[label] ?? ''),
    points: values.map(([at, value]) => [at - from, Number(value)]).filter(([, value]) => Number.isFinite(value)),
  }));
}

const colors = ['#2f7ed8', '#e07b00', '#2a9d57', '#c0392b', '#8e5bd0', '#7a6a53'];
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function drawn(title, unit, lines, span) {
  const top = Math.max(...lines.flatMap(({ points }) => points.map(([, value]) => value)), 1e-9);
  const paths = lines.map(({ points }, index) => {
    const text = points
      .map(([x, y]) => `${((x / span) * 380).toFixed(1)},${(95 - (y / top) * 90).toFixed(1)}`)
      .join(' ');
    return `<polyline fill="none" stroke="${colors[index % colors.length]}" stroke-width="1.6" points="${text}"/>`;
  });
  const legend = lines
    .slice(0, 6)
    .map(
      ({ name, points }, index) =>
        `<span style="color:${colors[index % colors.length]}">${escaped(name)} ${Number((points.at(-1)?.[1] ?? 0).toPrecision(3))}</span>`,
    )
    .join(' ');
  const nothing = lines.every(({ points }) => points.length === 0)
    ? '<text x="190" y="55" text-anchor="middle" fill="#999">no samples</text>'
    : '';
  return `<section><h2>${escaped(title)} <small>${unit}, up to ${nothing ? '-' : Number(top.toPrecision(3))}</small></h2><svg viewBox="0 0 380 100">${paths.join('')}${nothing}</svg><p>${legend}</p></section>`;
}

async function image(panels, from, to) {
  const sections = [];
  for (const { title, targets, fieldConfig } of panels) {
    const lines = [];
    for (const target of targets) lines.push(...(await series(target, from, to)));
    sections.push(drawn(title, fieldConfig.defaults.unit, lines, to - from));
  }
  const style =
    'body{font:12px sans-serif;margin:12px;width:1240px;background:#f4f5f7}main{display:grid;grid-template-columns:repeat(3,1fr);gap:8px}section{background:#fff;border:1px solid #ddd;padding:6px 10px}h2{font-size:12px;margin:0 0 4px}small{color:#777;font-weight:normal}p{margin:2px 0;font-size:11px}h1{font-size:14px;margin:0 0 8px}';
  const html = `<style>${style}</style><h1>deploy/observability/dashboard.json: its queries, answered by Prometheus, ${Math.round(to - from)} s of one embedded service</h1><main>${sections.join('')}</main>`;
  const browser = await chromium.launch({ executablePath: installChromium() });
  const page = await browser.newPage({ viewport: { width: 1270, height: 800 } });
  await page.setContent(html);
  await page.screenshot({ path: join(root, 'docs', 'images', 'dashboard.png'), fullPage: true });
  await browser.close();
}

try {
  const config = join(folder, 'prometheus.yml');
  writeFileSync(
    config,
    `global: {scrape_interval: 1s}\nscrape_configs: [{job_name: embedded, static_configs: [{targets: ['127.0.0.1:${servicePort}']}]}]\n`,
  );
  start(process.execPath, [join(root, 'tools', 'start.mjs'), 'embedded'], {
    SVC_PORT: String(servicePort),
    SVC_DATA_DIR: join(folder, 'data'),
    SVC_BOOTSTRAP_OWNER_KEY: ownerKey,
    SVC_RATE_LIMIT_KEY_RPM: '0',
    SVC_RATE_LIMIT_ORG_RPM: '0',
  });
  start(join(prometheusFolder(), 'usr', 'bin', 'prometheus'), [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'tsdb')}`,
    `--web.listen-address=127.0.0.1:${prometheusPort}`,
  ]);
  await Promise.all([until(`${base}/readyz`), until(`http://127.0.0.1:${prometheusPort}/-/ready`)]);
  const from = Date.now() / 1000;
  await load(Date.now() + seconds * 1000);
  await image(
    JSON.parse(readFileSync(join(root, 'deploy', 'observability', 'dashboard.json'), 'utf8')).panels,
    from,
    Date.now() / 1000,
  );
  await Promise.allSettled(followers);
  console.log('docs/images/dashboard.png');
} finally {
  await Promise.all(
    children
      .filter(({ exitCode }) => exitCode === null)
      .map((child) => {
        child.kill('SIGTERM');
        return once(child, 'exit');
      }),
  );
  rmSync(folder, { recursive: true, force: true });
}
