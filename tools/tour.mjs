// Runs the README's shell blocks, word for word but for the ports, against a fresh service, and compares what they
// print with the blocks below them: in the printed lines … stands for anything, and ids and times may differ. node
// tools/tour.mjs
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from './ports.mjs';

const root = join(import.meta.dirname, '..');
const readyMs = 30_000;
const blockMs = 30_000;
const startPattern = /^(?:npm ci && )?((?:[A-Z_]+=\S+ )*)npm start$/;
const blocksMin = 8;

/** Takes Markdown; gives its shell blocks, each with the text block that follows it before the next shell block. */
export function blocksOf(markdown) {
  const blocks = [];
  for (const [, language, body] of markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (language === 'sh') blocks.push({ command: body.trimEnd(), printed: null });
    else if (language === 'text' && blocks.length > 0) blocks.at(-1).printed ??= body.trimEnd();
  }
  return blocks;
}

/** Gives the first printed line that is not in the output, in order; null when all are there. */
export function missingLine(printed, output) {
  const lines = output.split('\n').map(likened);
  let at = 0;
  for (const line of printed.split('\n').filter((text) => text.trim() !== '')) {
    const pattern = new RegExp(
      `^${likened(line)
        .split('…')
        .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('.*')}$`,
    );
    while (at < lines.length && !pattern.test(lines[at])) at += 1;
    if (at === lines.length) return line;
    at += 1;
  }
  return null;
}

/** Ids, times and ports are whatever they are. */
function likened(line) {
  return line
    .trimEnd()
    .replace(/\b([a-z]+)_[0-9a-z]{20,}\b/g, '$1_ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT');
}

/**
 * The service of the tour: `npm start` of this workspace. `start(settings)` gives what was printed, `key` the Owner's.
 */
class OwnService {
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
    const text = await printed(this.#child, 'Try: curl');
    this.key ??= /export KEY=(\S+)/.exec(text)?.[1];
    if (!this.key) throw new Error(`no key was printed:\n${text}`);
    return text;
  }

  close() {
    return stop(this.#child);
  }
}

class Tour {
  #model = null;
  #state = mkdtempSync(join(tmpdir(), 'aos-tour-'));
  #variables = '';

  constructor(service) {
    this.service = service ?? new OwnService(this.#state);
  }

  async prepare() {
    this.modelPort = await freePort();
  }

  /** Gives what the block printed. */
  async run(command) {
    const start = startPattern.exec(command);
    if (start)
      return this.#start(
        Object.fromEntries(
          start[1]
            .trim()
            .split(' ')
            .filter(Boolean)
            .map((pair) => pair.split('=')),
        ),
      );
    if (command === 'node tools/tour/local-model.mjs') return this.#startModel();
    const script = `${this.#variables}\n${command}\nprintf '\\n%s' "SESSION=$SESSION" >&3`.replaceAll(
      '127.0.0.1:8080',
      `127.0.0.1:${this.service.port}`,
    );
    const ran = spawnSync('bash', ['-c', script], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      timeout: blockMs,
      encoding: 'utf8',
    });
    if (ran.status !== 0)
      throw new Error(`ended with ${ran.status ?? ran.signal}:\n${command}\n${ran.stdout}${ran.stderr}`);
    this.#variables = `export KEY=${this.service.key}\n${ran.output[3].trim()}`;
    return ran.stdout;
  }

  async close() {
    await this.service.close();
    await stop(this.#model);
    rmSync(this.#state, { recursive: true, force: true });
  }

  async #start(settings) {
    const models = settings.SVC_MODELS_FILE ? { SVC_MODELS_FILE: this.#modelsFile(settings.SVC_MODELS_FILE) } : {};
    const text = await this.service.start({ ...settings, ...models });
    if (this.#variables === '') this.#variables = `export KEY=${this.service.key}`;
    return text;
  }

  async #startModel() {
    this.#model = spawn(process.execPath, [join(root, 'tools', 'tour', 'local-model.mjs')], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, HOST: this.service.modelHost, PORT: String(this.modelPort) },
    });
    return printed(this.#model, 'local model');
  }

  #modelsFile(file) {
    const copy = join(this.#state, 'models.yaml');
    const text = readFileSync(join(root, file), 'utf8').replaceAll(
      '127.0.0.1:8090',
      `${this.service.modelHost}:${this.modelPort}`,
    );
    writeFileSync(copy, text);
    return copy;
  }
}

/** What a program printed up to a line that begins like this. */
function printed(child, begins) {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => {
      reject(new Error(`${begins} was not printed:\n${text}`));
    }, readyMs);
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (!text.includes(begins)) return;
      clearTimeout(timer);
      resolve(text);
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`ended with ${code}:\n${text}`));
    });
  });
}

async function stop(child) {
  if (!child || child.exitCode !== null) return;
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  child.kill('SIGTERM');
  await ended;
}

/**
 * Takes the README's text, and the service when it is another than `npm start` (start(settings), port, key, modelHost,
 * close(); what it prints at its start is not compared when start gives null); gives how many blocks ran; throws with
 * the first that failed or printed something else.
 */
export async function takeTour(markdown, service) {
  const blocks = blocksOf(markdown);
  if (blocks.length < blocksMin) throw new Error(`only ${blocks.length} shell blocks`);
  const tour = new Tour(service);
  try {
    await tour.prepare();
    for (const { command, printed: expected } of blocks) {
      const output = await tour.run(command);
      const missing = expected === null || output === null ? null : missingLine(expected, output);
      if (missing !== null) throw new Error(`not printed: ${missing}\nby:\n${command}\nwhich printed:\n${output}`);
    }
  } finally {
    await tour.close();
  }
  return blocks.length;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(`${await takeTour(readFileSync(join(root, 'README.md'), 'utf8'))} blocks of the README ran as printed`);
}
