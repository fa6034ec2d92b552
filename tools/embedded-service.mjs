// Starts the built embedded service on a free port with files in a new folder: for the black-box suites, and for what
// looks at the console.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './ports.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const lookMs = 50;
const outputKept = 20_000;

/**
 * Takes a word for its folder and key, the name of its organization, further settings, and how long it may take.
 * Gives its address, the key of its Owner, its folder, what it wrote last, and `stop`. Throws when it does not come up.
 */
export async function startEmbedded({ word, organization, settings = {}, readyMs }) {
  const folder = mkdtempSync(join(tmpdir(), `${word}-`));
  const url = `http://127.0.0.1:${await freePort()}`;
  const key = `${word}_owner_${randomBytes(24).toString('hex')}`;
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
        SVC_BOOTSTRAP_ORG: organization,
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
    if (child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => {
        child.once('exit', resolve);
      });
      child.kill('SIGTERM');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await ready(url, child, readyMs, () => output);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, key, folder, output: () => output, stop };
}

async function ready(url, child, readyMs, output) {
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
