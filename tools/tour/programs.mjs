// Programs that a tour starts: the service, and what keeps running beside it.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '../ports.mjs';

export const root = join(import.meta.dirname, '..', '..');
const readyMs = 180_000;
const startPattern = /^(?:npm ci && )?((?:[A-Z_]+=\S+ )*)npm start$/;

/** Takes a command; gives the settings that it starts the service with, or null when it is another command. */
export function startSettings(command) {
  const start = startPattern.exec(command);
  return start && settingsOf(start[1]);
}

/** Takes `A=b C=d `; gives an object of them. */
function settingsOf(pairs) {
  return Object.fromEntries(
    pairs
      .trim()
      .split(' ')
      .filter(Boolean)
      .map((pair) => pair.split('=')),
  );
}

/**
 * The service of the tour: `npm start` of this workspace. `start(settings)` gives what was printed, `key` the Owner's.
 */
export class OwnService {
  #child = null;
  key = null;

  constructor(state) {
    this.folder = join(state, 'data');
    this.modelHost = '127.0.0.1';
  }

  async start(settings) {
    this.port ??= await freePort();
    await stop(this.#child);
    this.#child = spawn(process.execPath, [join(root, 'tools', 'start.mjs'), 'embedded'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        SVC_LOG_LEVEL: 'warn',
        ...settings,
        SVC_PORT: String(this.port),
        SVC_DATA_DIR: this.folder,
      },
    });
    const text = await printedLine(this.#child, 'Try: curl');
    this.key ??= /export KEY=(\S+)/.exec(text)?.[1];
    if (!this.key) throw new Error(`no key was printed:\n${text}`);
    return text;
  }

  close() {
    return stop(this.#child);
  }
}

/** What a program printed up to a line that begins like this. */
export const printedLine = (child, begins) => printed(child, (text) => text.includes(begins), begins);

/** What a program printed until it is enough. */
export function printed(child, isEnough, wanted) {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => {
      reject(new Error(`${wanted} was not printed:\n${text}`));
    }, readyMs);
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (!isEnough(text)) return;
      clearTimeout(timer);
      resolve(text);
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`ended with ${code}:\n${text}`));
    });
  });
}

export async function stop(child) {
  if (!child || child.exitCode !== null) return;
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  child.kill('SIGTERM');
  await ended;
}
