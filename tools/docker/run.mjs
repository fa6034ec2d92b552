// Commands of other programs: run to their end, with what they printed when they fail.
import { spawn, spawnSync } from 'node:child_process';

/** Of one command; beside other steps of the gate it has a low priority, and takes several times as long. */
const defaultTimeoutMs = 1_500_000;
const outputBytes = 64 * 1024 * 1024;
const tailLines = 40;

const tailOf = (text) => text.trim().split('\n').slice(-tailLines).join('\n');

/**
 * Gives what the command printed; throws with the end of it when it fails. `show`: it prints to this program's standard
 * error instead.
 */
export function run(command, args, { show = false, ...options } = {}) {
  const result = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: defaultTimeoutMs,
    maxBuffer: outputBytes,
    stdio: show ? ['ignore', 2, 2] : ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  if (result.error) throw new Error(`${command} cannot run: ${result.error.message}`);
  if (result.status !== 0)
    throw new Error(
      `${command} ${args.join(' ')} ended with ${result.status ?? result.signal}\n${tailOf(`${result.stdout ?? ''}${result.stderr ?? ''}`)}`,
    );
  return result.stdout ?? '';
}

/** As `run`, while others run. */
export function runBeside(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: defaultTimeoutMs, ...options });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output = (output + chunk).slice(-100_000);
      });
    child.once('error', (error) => {
      reject(new Error(`${command} cannot run: ${error.message}`));
    });
    child.once('close', (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${command} ended with ${code ?? signal}\n${tailOf(output)}`));
    });
  });
}

export function succeeds(command, args, options = {}) {
  return spawnSync(command, args, { stdio: 'ignore', timeout: defaultTimeoutMs, ...options }).status === 0;
}

/** Asks until it is true; throws after so many milliseconds. */
export async function until(what, timeoutMs, ask) {
  for (const deadline = Date.now() + timeoutMs; ;) {
    if (await ask()) return;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${timeoutMs} ms`);
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
}
