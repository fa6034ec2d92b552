// One embedded service with the demonstration's data, for what looks at the console: flows, measurements, screenshots.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbedded } from '../embedded-service.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const readyMs = 180_000;

/** Gives the settings that reach it (`BASE_URL`, `OWNER_KEY`) and `stop`. Throws when it does not come up. */
export async function startForConsole({ demo = true, settings = {} } = {}) {
  const { url, key, stop } = await startEmbedded({ word: 'console', organization: 'Acme', settings, readyMs });
  try {
    if (demo) fillWithDemo(url, key);
  } catch (error) {
    await stop();
    throw error;
  }
  return { env: { BASE_URL: url, OWNER_KEY: key }, stop };
}

/** Takes a service and a key that may do all. Throws when the demonstration does not end well. */
export function fillWithDemo(url, key) {
  const env = { ...process.env, SVC_URL: url, SVC_KEY: key };
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'tools', 'demo', 'demo.mjs')], {
    encoding: 'utf8',
    env,
  });
  if (status !== 0) throw new Error(`the demonstration ended with ${status}:\n${stderr}`);
}
