// Commands that are waited for, each within a bound: one that never ends fails its step in place of holding it up.
import { spawnSync } from 'node:child_process';
import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

const commandMs = 600_000;
const versionMs = 60_000;
const tailLines = 20;

/**
 * Runs a command to its end; what it prints goes to the end of `log`.
 *
 * Gives    its standard output.
 * Refuses  with the log's name and tail when it cannot run, ends badly, or has not ended within the bound.
 */
export function run(command, args, { log, timeoutMs = commandMs }) {
  mkdirSync(dirname(log), { recursive: true });
  const output = openSync(log, 'a');
  const { error, status, signal, stdout } = spawnSync(command, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', output],
    maxBuffer: 64 * 1024 * 1024,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  closeSync(output);
  appendFileSync(log, stdout ?? '');
  if (error === undefined && status === 0) return stdout;
  const how =
    error?.code === 'ETIMEDOUT'
      ? `did not end within ${timeoutMs / 1000} s`
      : error
        ? `cannot run: ${error.message}`
        : `ended with ${signal ?? status}`;
  const tail = readFileSync(log, 'utf8').trim().split('\n').slice(-tailLines).join('\n');
  throw new Error(`${[command, ...args].join(' ')} ${how}; its output: ${log}\n${tail}`);
}

/** What a command says of its version, on either output; null when it is not there, or fails. */
export function versionOf(command, args = ['--version'], timeoutMs = versionMs) {
  const { error, status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  if (error?.code === 'ETIMEDOUT')
    throw new Error(`${[command, ...args].join(' ')} did not end within ${timeoutMs / 1000} s`);
  return status === 0 ? `${stdout}${stderr}` : null;
}
