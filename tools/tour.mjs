// Runs the shell blocks of the README, or of the guide's pages that ask for it, word for word but for the ports, against
// a fresh service, and compares what they print with the blocks below them: in the printed lines … stands for anything,
// and ids and times may differ. node tools/tour.mjs [guide [page ...]]
import { spawn, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from './ports.mjs';

const root = join(import.meta.dirname, '..');
const readyMs = 30_000;
const blockMs = 30_000;
const startPattern = /^(?:npm ci && )?((?:[A-Z_]+=\S+ )*)npm start$/;
const blocksMin = 8;
const guideFolder = join(root, 'docs', 'guide');
/** A page of the guide with this line is run. Its programs listen on the port, for which a free one is put. */
const runsLine = '<!-- runs -->';
const guidePort = '9090';
const namePattern = /(?:^|[\s;])([A-Z][A-Z0-9_]*)=/g;

/**
 * Takes Markdown; gives its shell blocks, each with the text block that follows it before the next shell block. A block
 * of `sh terminal` keeps running in a terminal of its own; one of `bash` is only shown, and so is what it prints.
 */
export function blocksOf(markdown) {
  const blocks = [];
  let last = null;
  for (const [, language, where, body] of markdown.matchAll(/^```(\w+)(?: (\w+))?\n([\s\S]*?)^```$/gm)) {
    if (language === 'sh') {
      last = { command: body.trimEnd(), printed: null, ...(where === 'terminal' && { keepsRunning: true }) };
      blocks.push(last);
    } else if (language === 'bash') last = null;
    else if (language === 'text' && last) last.printed ??= body.trimEnd();
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
    const text = await printedLine(this.#child, 'Try: curl');
    this.key ??= /export KEY=(\S+)/.exec(text)?.[1];
    if (!this.key) throw new Error(`no key was printed:\n${text}`);
    return text;
  }

  close() {
    return stop(this.#child);
  }
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
    if (start) return this.#start(settingsOf(start[1]));
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
    return printedLine(this.#model, 'local model');
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

/** One page of the guide: an empty folder to work in, variables and terminals of its own. */
class GuidePage {
  #names = new Set();
  #variables = '';
  #terminals = [];

  constructor(service, folder, port) {
    this.service = service;
    this.folder = folder;
    this.port = port;
    mkdirSync(folder);
  }

  /** The text with the ports of this page, and programs of the checkout by their whole path. */
  local(text) {
    if (text === null) return null;
    return text
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${this.service.port}`)
      .replaceAll(guidePort, this.port)
      .replaceAll('node tools/', `node ${join(root, 'tools')}/`);
  }

  /** Gives what the block printed; of one that keeps running, what it printed until the given lines were there. */
  async run({ command, printed: expected, keepsRunning }) {
    const text = this.local(command);
    const start = startPattern.exec(text);
    if (start) return this.service.start(this.#ownFiles(settingsOf(start[1])));
    for (const [, name] of text.matchAll(namePattern)) this.#names.add(name);
    const before = `export KEY=${this.service.key}\n${this.#variables}\n`;
    if (keepsRunning) return this.#open(`${before}exec env ${text}`, this.local(expected));
    const after = [...this.#names].map((name) => `declare -p ${name} >&3 2>/dev/null`).join('\n');
    const ran = spawnSync('bash', ['-c', `${before}${text}\nended=$?\n${after}\ndeclare -f >&3\nexit $ended`], {
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      timeout: blockMs,
      encoding: 'utf8',
    });
    if (ran.status !== 0)
      throw new Error(`ended with ${ran.status ?? ran.signal}:\n${text}\n${ran.stdout}${ran.stderr}`);
    this.#variables = ran.output[3];
    return ran.stdout;
  }

  /** A models file that is named without a folder was written by the page. */
  #ownFiles({ SVC_MODELS_FILE: file, ...settings }) {
    return file ? { ...settings, SVC_MODELS_FILE: join(this.folder, file) } : settings;
  }

  #open(script, expected) {
    const child = spawn('bash', ['-c', script], { cwd: this.folder, stdio: ['ignore', 'pipe', 'inherit'] });
    this.#terminals.push(child);
    return printed(child, (text) => missingLine(expected ?? '', text) === null, expected ?? '');
  }

  async close() {
    for (const child of this.#terminals) await stop(child);
  }
}

/** What a program printed up to a line that begins like this. */
const printedLine = (child, begins) => printed(child, (text) => text.includes(begins), begins);

/** What a program printed until it is enough. */
function printed(child, isEnough, wanted) {
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
    for (const { command, printed: expected } of blocks) compare(command, expected, await tour.run(command));
  } finally {
    await tour.close();
  }
  return blocks.length;
}

function compare(command, expected, output) {
  const missing = expected === null || output === null ? null : missingLine(expected, output);
  if (missing !== null) throw new Error(`not printed: ${missing}\nby:\n${command}\nwhich printed:\n${output}`);
}

/**
 * Takes the guide's pages as [name, Markdown]; runs those that ask for it, all against one service, which a block of a
 * page may start again; gives how many blocks ran; throws with the first that failed or printed something else.
 */
export async function takeGuide(pages) {
  const state = mkdtempSync(join(tmpdir(), 'aos-guide-'));
  const service = new OwnService(state);
  let ran = 0;
  try {
    await service.start({});
    for (const [name, markdown] of pages.filter(([, text]) => text.includes(runsLine))) {
      const page = new GuidePage(service, join(state, name), String(await freePort()));
      try {
        for (const block of blocksOf(markdown)) {
          compare(block.command, page.local(block.printed), await page.run(block));
          ran += 1;
        }
      } catch (error) {
        throw new Error(`${name}: ${error.message}`, { cause: error });
      } finally {
        await page.close();
      }
    }
  } finally {
    await service.close();
    rmSync(state, { recursive: true, force: true });
  }
  return ran;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [what, ...names] = process.argv.slice(2);
  if (what === 'guide') {
    const files = names.length > 0 ? names.map((name) => `${name}.md`) : globSync('*.md', { cwd: guideFolder }).sort();
    const pages = files.map((file) => [basename(file, '.md'), readFileSync(join(guideFolder, file), 'utf8')]);
    console.log(`${await takeGuide(pages)} blocks of the guide ran as printed`);
  } else {
    console.log(`${await takeTour(readFileSync(join(root, 'README.md'), 'utf8'))} blocks of the README ran as printed`);
  }
}
