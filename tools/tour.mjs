// Runs the shell blocks of the README, or of the guide's pages that ask for it, word for word but for the ports, against
// a fresh service, and compares what they print with the blocks below them: in the printed lines … stands for anything,
// and ids and times may differ. node tools/tour.mjs [guide [page ...]]
import { spawn, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from './ports.mjs';
import { blocksOf, compare } from './tour/blocks.mjs';
import { takeGuide } from './tour/guide.mjs';
import { OwnService, printedLine, root, startSettings, stop } from './tour/programs.mjs';

const blockMs = 180_000;
const blocksMin = 8;
const guideFolder = join(root, 'docs', 'guide');

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
    const settings = startSettings(command);
    if (settings) return this.#start(settings);
    if (command === 'node tools/tour/local-model.mjs') return this.#startModel();
    const text = `${this.#variables}\n${command}`.replaceAll('127.0.0.1:8080', `127.0.0.1:${this.service.port}`);
    const kept = 'for name in KEY SVC_KEY SESSION; do declare -p "$name" >&3 2>/dev/null; done; declare -f >&3';
    const ran = spawnSync('bash', ['-c', `${text}\nended=$?\n${kept}\nexit $ended`], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      env: { ...process.env, SVC_URL: `http://127.0.0.1:${this.service.port}` },
      timeout: blockMs,
      encoding: 'utf8',
    });
    if (ran.status !== 0)
      throw new Error(`ended with ${ran.status ?? ran.signal}:\n${command}\n${ran.stdout}${ran.stderr}`);
    this.#variables = ran.output[3];
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
