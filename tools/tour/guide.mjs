// Runs the pages of the guide that ask for it.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../ports.mjs';
import { blocksOf, compare, missingLine } from './blocks.mjs';
import { OwnService, printed, root, startSettings, stop } from './programs.mjs';

const blockMs = 180_000;
/** A page of the guide with this line is run. Its programs listen on the port, for which a free one is put. */
const runsLine = '<!-- runs -->';
const guidePort = '9090';
const namePattern = /(?:^|[\s;])([A-Z][A-Z0-9_]*)=/g;

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
    const settings = startSettings(text);
    if (settings) return this.service.start(this.#ownFiles(settings));
    for (const [, name] of text.matchAll(namePattern)) this.#names.add(name);
    const before = `export KEY=${this.service.key} CHECKOUT=${root}\n${this.#variables}\n`;
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
