// One engine process: started on its own ports with its files in its own folder, waited for, stopped by its pid.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort, isFree } from '../ports.mjs';
import { within } from './within.mjs';

const startTimeoutMs = 180_000;
const stopTimeoutMs = 60_000;
const tailLines = 40;

const pause = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/**
 * Gives as many ports as there are names: those noted in the folder when they are still free, else new ones, which it
 * notes.
 */
export async function portsOf(folder, names) {
  const file = join(folder, 'ports.json');
  let noted = {};
  try {
    noted = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  const ports = {};
  for (const name of names) {
    let port = noted[name];
    while (!port || Object.values(ports).includes(port) || !(await isFree(port))) port = await freePort();
    ports[name] = port;
  }
  writeFileSync(file, JSON.stringify(ports));
  return ports;
}

/** Whether a process with this pid exists. */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Ends a process by its pid: asks, then insists. Resolves when it is gone. */
export async function endProcess(pid, gone = () => !isAlive(pid)) {
  for (const [signal, patienceMs] of [
    ['SIGTERM', stopTimeoutMs],
    ['SIGKILL', 5_000],
  ]) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (error.code === 'ESRCH') return;
      throw error;
    }
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline;) {
      if (gone()) return;
      await pause(25);
    }
  }
  throw new Error(`process ${pid} does not end`);
}

const canBindToParent =
  process.platform === 'linux' &&
  spawnSync('setpriv', ['--pdeathsig', 'TERM', 'true'], { stdio: 'ignore', timeout: stopTimeoutMs }).status === 0;

export class Engine {
  #child = null;
  #stopping = false;
  #listeners = [];

  /**
   * Takes  name; folder of its files; command and args; probe(), which resolves once the engine answers and rejects
   *        until then; detached: it outlives this process (otherwise it ends with it, also when this process is killed,
   *        where the system can do that); onLine(line): gets its standard output in place of the log; startMs: how long
   *        it may take to answer.
   */
  constructor({ startMs = startTimeoutMs, ...settings }) {
    const { name, folder, command, args, env = {}, probe, detached = false, onLine = null } = settings;
    Object.assign(this, { name, folder, command, args, env, probe, detached, onLine, startMs });
    this.log = join(folder, `${name}.log`);
  }

  get pid() {
    return this.#child?.pid ?? null;
  }

  /** Called with the exit code or signal when the engine ends although nobody stopped it. */
  onExit(listener) {
    this.#listeners.push(listener);
  }

  /** Starts it and resolves when it answers; throws with the log's tail when it ends or stays silent. */
  async start() {
    if (this.#child) throw new Error(`${this.name} is running`);
    mkdirSync(this.folder, { recursive: true });
    const output = openSync(this.log, 'a');
    const bound = canBindToParent && !this.detached;
    const [command, args] = bound
      ? ['setpriv', ['--pdeathsig', 'TERM', this.command, ...this.args]]
      : [this.command, this.args];
    const child = spawn(command, args, {
      cwd: this.folder,
      detached: true,
      stdio: ['ignore', this.onLine ? 'pipe' : output, output],
      env: { ...process.env, ...this.env },
    });
    closeSync(output);
    if (this.onLine) createInterface({ input: child.stdout }).on('line', this.onLine);
    this.#stopping = false;
    this.#child = child;
    let end = null;
    child.once('error', (error) => {
      end = error.message;
      if (child.pid === undefined && this.#child === child) this.#child = null; // it did not begin, and will not exit
    });
    child.once('exit', (code, signal) => {
      end = signal ?? `code ${code}`;
      if (this.#child !== child) return;
      this.#child = null;
      if (!this.#stopping) for (const listener of this.#listeners) listener(end);
    });
    child.unref();
    await this.#answers(() => end);
  }

  async #answers(ended) {
    let last = 'no answer';
    for (const deadline = Date.now() + this.startMs; Date.now() < deadline;) {
      if (ended() !== null) throw new Error(`${this.name} ended with ${ended()} at its start; ${this.#said()}`);
      try {
        await within(deadline - Date.now(), 'a question', this.probe());
        return;
      } catch (error) {
        last = error.message;
      }
      await pause(50);
    }
    const said = this.#said();
    await this.stop();
    throw new Error(`${this.name} did not answer within ${this.startMs} ms (${last}); ${said}`);
  }

  #said() {
    return `its log: ${this.log}\n${this.tail()}`;
  }

  tail() {
    return readFileSync(this.log, 'utf8').trim().split('\n').slice(-tailLines).join('\n');
  }

  async stop() {
    const child = this.#child;
    if (!child) return;
    this.#stopping = true;
    await endProcess(child.pid, () => child.exitCode !== null || child.signalCode !== null);
    this.#child = null;
  }

  /** Ends it as a crash would. */
  async kill() {
    const child = this.#child;
    if (!child) return;
    this.#stopping = true;
    const gone = new Promise((resolve) => {
      child.once('exit', resolve);
    });
    child.kill('SIGKILL');
    await gone;
    this.#child = null;
  }

  async restart() {
    await this.stop();
    await this.start();
  }
}
