// Starts tools/fleet.mjs as a process of its own, as tests and benches need it.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Takes the folder of a build, the fleet's data directory and settings as environment variables.
 * Gives the launcher's process and the gateway's URL when the fleet stands; throws when it ends before.
 */
export async function startFleet(dist, folder, settings) {
  const child = spawn(process.execPath, [join(root, 'tools', 'fleet.mjs'), dist], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, SVC_DATA_DIR: folder, ...settings },
  });
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      console.error(line);
      const [, found] = /^fleet ready (\S+)$/.exec(line) ?? [];
      if (found) resolve(found);
    });
    child.once('exit', (code, signal) => reject(new Error(`the fleet ended at its start (${signal ?? code})`)));
  });
  return { child, url };
}

/** Stops a fleet that was started; gives the launcher's exit code, 0 when all went well. */
export async function stopFleet(child) {
  if (child.exitCode !== null) return child.exitCode;
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  child.kill('SIGTERM');
  return ended;
}
