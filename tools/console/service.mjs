// One embedded service with the demonstration's data, for what looks at the console: flows, measurements, screenshots.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../ports.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const readyMs = 30_000;
const lookMs = 50;
const outputKept = 20_000;

/** Gives the settings that reach it (`BASE_URL`, `OWNER_KEY`) and `stop`. Throws when it does not come up. */
export async function startForConsole({ demo = true, settings = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'console-'));
  const url = `http://127.0.0.1:${await freePort()}`;
  const key = `console_owner_${randomBytes(24).toString('hex')}`;
  const child = spawn(
    process.execPath,
    ['--enable-source-maps', join(root, 'dist', 'apps', 'embedded', 'src', 'main.js')],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        SVC_PORT: new URL(url).port,
        SVC_DATA_DIR: folder,
        SVC_BOOTSTRAP_ORG: 'Acme',
        SVC_BOOTSTRAP_OWNER_KEY: key,
        SVC_LOG_LEVEL: 'warn',
        SVC_RATE_LIMIT_KEY_RPM: '0',
        SVC_RATE_LIMIT_ORG_RPM: '0',
        ...settings,
      },
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-outputKept);
    });
  const stop = async () => {
    if (child.exitCode === null) {
      const ended = new Promise((resolve) => {
        child.once('exit', resolve);
      });
      child.kill('SIGTERM');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await ready(url, child, () => output);
    if (demo) fill(url, key);
  } catch (error) {
    await stop();
    throw error;
  }
  return { env: { BASE_URL: url, OWNER_KEY: key }, stop };
}

async function ready(url, child, output) {
  const deadline = Date.now() + readyMs;
  for (;;) {
    const isReady = await fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isReady) return;
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the service did not start:\n${output()}`);
    await new Promise((resolve) => {
      setTimeout(resolve, lookMs);
    });
  }
}

function fill(url, key) {
  const env = { ...process.env, SVC_URL: url, SVC_KEY: key };
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'tools', 'demo', 'demo.mjs')], {
    encoding: 'utf8',
    env,
  });
  if (status !== 0) throw new Error(`the demonstration ended with ${status}:\n${stderr}`);
}
