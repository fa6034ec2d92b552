// Starts tools/fleet.mjs as a process of its own, as tests and benches need it.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { within } from '../engines/within.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const fleetTool = join(root, 'tools', 'fleet.mjs');

/** Installs that may come first have bounds of their own; the services wait for their engines without one. */
const startMs = 15 * 60_000;
const stopMs = 120_000;

/**
 * Takes the folder of a build, the fleet's data directory and settings as environment variables.
 * Gives the launcher's process and the gateway's URL when the fleet stands; throws when it ends before, or does not
 * stand within the bound: it is stopped then.
 */
export async function startFleet(dist, folder, settings, { withinMs = startMs, launcher = fleetTool } = {}) {
  const child = spawn(process.execPath, [launcher, dist], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, SVC_DATA_DIR: folder, ...settings },
  });
  const ready = new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      console.error(line);
      const [, found] = /^fleet ready (\S+)$/.exec(line) ?? [];
      if (found) resolve(found);
    });
    child.once('exit', (code, signal) => reject(new Error(`the fleet ended at its start (${signal ?? code})`)));
  });
  try {
    const logs = `its logs: ${join(folder, 'fleet')}, ${join(folder, 'engines')}`;
    return { child, url: await within(withinMs, `the start of the fleet (${logs})`, ready) };
  } catch (error) {
    await stopFleet(child);
    throw error;
  }
}

/**
 * Stops a fleet that was started; gives the launcher's exit code, 0 when all went well, null when it had to be killed:
 * what it started ends with it where the system can do that.
 */
export async function stopFleet(child, { withinMs = stopMs } = {}) {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  child.kill('SIGTERM');
  const late = setTimeout(() => {
    console.error(`the fleet did not stop within ${withinMs / 1000} s`);
    child.kill('SIGKILL');
  }, withinMs);
  const code = await ended;
  clearTimeout(late);
  return code;
}
