// Builds, checks and tests libs/client-python: npm run test:python [-- cuts]. In .cache/python-client: pinned wheels,
// an environment with the tools, and one made anew with nothing but the built wheel and pytest, where the tests run
// against a started service. `cuts` runs only the streams that are cut (CLIENT_CUTS, CLIENT_SEED). Where there is no
// Python that is new enough it says so, tests nothing and exits with 75.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';

const root = join(import.meta.dirname, '..');
const client = join(root, 'libs', 'client-python');
const cache = join(root, '.cache', 'python-client');
const generated = join(client, 'src', 'agent_service', '_generated');
const pyright = join(root, 'node_modules', 'pyright', 'index.js');
/** Exit code without a Python (EX_TEMPFAIL): the gate counts such a step neither as passed nor as failed. */
const notRun = 75;
const candidates = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python'];
const probe = 'import sys, venv, ensurepip; assert sys.version_info >= (3, 10); print(sys.version)';
const testsMin = 250;

const sha256 = (...texts) => createHash('sha256').update(texts.join('\0')).digest('hex').slice(0, 16);

/** The first Python that is new enough and can make environments, with its version; undefined without one. */
function findPython() {
  for (const command of process.env.PYTHON ? [process.env.PYTHON] : candidates) {
    const { status, stdout } = spawnSync(command, ['-c', probe], { encoding: 'utf8' });
    if (status === 0) return { command, version: stdout.trim() };
  }
  return undefined;
}

/** Runs a program whose output is shown; throws when it fails. */
function run(command, args, { env = {}, cwd = client } = {}) {
  const { status, error } = spawnSync(command, args, {
    cwd,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: '1', PYTHONDONTWRITEBYTECODE: '1', ...env },
  });
  if (status !== 0) throw new Error(`${command} ${args.slice(0, 4).join(' ')} ended with ${error ?? status}`);
}

/** Makes an environment in the folder; gives its interpreter. */
function environment(python, folder) {
  rmSync(folder, { recursive: true, force: true });
  run(python, ['-m', 'venv', folder]);
  return join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
}

/** The environment with the pinned tools, made once for each list of them and each Python. Gives it and its wheels. */
function tools({ command, version }) {
  const requirements = join(client, 'requirements.txt');
  const folder = join(cache, sha256(version, readFileSync(requirements, 'utf8')));
  const wheels = join(folder, 'wheels');
  const marker = join(folder, 'interpreter');
  if (!existsSync(marker)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(wheels, { recursive: true });
    const python = environment(command, join(folder, 'tools'));
    const pinned = ['--require-hashes', '--only-binary', ':all:', '-q', '-r', requirements];
    run(python, ['-m', 'pip', 'download', '-d', wheels, ...pinned]);
    run(python, ['-m', 'pip', 'install', '--no-index', '--find-links', wheels, ...pinned]);
    writeFileSync(marker, python);
  }
  return { python: readFileSync(marker, 'utf8'), wheels };
}

/**
 * Writes the types, operations and errors of the contract into the package, where they are not as they would be: by
 * the hook that does so at `pip install` of the folder.
 */
function generate(python) {
  const files = ['requirements.txt', 'hatch_build.py'].map((name) => join(client, name));
  const sources = [join(root, 'contract', 'openapi.yaml'), ...files];
  sources.push(...globSync(join(client, 'generator', '*.py')).sort());
  const stamp = sha256(...sources.map((file) => readFileSync(file, 'utf8')));
  const marker = join(generated, 'stamp');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === stamp) return;
  rmSync(generated, { recursive: true, force: true });
  run(python, ['-m', 'hatchling', 'build', '-t', 'wheel', '--hooks-only']);
  writeFileSync(marker, stamp);
}

/** Builds the wheel; gives its file. */
function buildWheel(python) {
  const folder = join(cache, 'dist');
  rmSync(folder, { recursive: true, force: true });
  run(python, ['-m', 'hatchling', 'build', '-t', 'wheel', '-d', folder]);
  const [wheel] = globSync(join(folder, '*.whl'));
  return wheel;
}

/** An environment with the wheel, what it needs by its own word, and pytest. */
function freshEnvironment(command, wheel, wheels) {
  const python = environment(command, join(cache, 'fresh'));
  run(python, ['-m', 'pip', 'install', '-q', '--no-index', '--find-links', wheels, wheel, 'pytest']);
  return python;
}

/** Runs pytest where only the wheel is; gives how many tests passed, failed, and did not run. */
async function test(python, args) {
  await build();
  const env = {
    ...process.env,
    PYTHONDONTWRITEBYTECODE: '1',
    SVC_TEST_NODE: process.execPath,
    SVC_TEST_PROGRAM: join(root, 'dist', 'apps', 'embedded', 'src', 'main.js'),
  };
  const { status, stdout } = spawnSync(python, ['-m', 'pytest', '-p', 'no:cacheprovider', '-rfEP', ...args], {
    cwd: client,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const line of stdout.split('\n').filter((one) => one.startsWith('said: '))) console.log(line);
  if (status !== 0) console.log(stdout);
  const count = (word) => Number(new RegExp(`(\\d+) ${word}`).exec(stdout.slice(-400))?.[1] ?? 0);
  return { status, passed: count('passed'), failed: count('failed') + count('error') };
}

/** Format, lint, types of the package, its tests, its generator and the example that uses it. */
function check(python) {
  const sources = ['.', join(root, 'examples', 'python-worker'), '--config', 'pyproject.toml'];
  run(python, ['-m', 'ruff', 'format', '--check', '-q', ...sources]);
  run(python, ['-m', 'ruff', 'check', '-q', ...sources]);
  run(process.execPath, [pyright, '-p', client, '--pythonpath', python]);
}

async function main() {
  const found = findPython();
  if (!found) {
    console.error(`not run: no Python 3.10 or newer with venv and pip among ${candidates.join(', ')}`);
    return notRun;
  }
  const began = performance.now();
  const { python, wheels } = tools(found);
  generate(python);
  const cuts = process.argv.includes('cuts');
  if (!cuts) check(python);
  const fresh = freshEnvironment(found.command, buildWheel(python), wheels);
  const { status, passed, failed } = await test(fresh, cuts ? ['tests/test_cuts.py'] : []);
  console.log(`Tests: ${failed > 0 ? `${failed} failed, ` : ''}${passed} passed, ${passed + failed} total`);
  console.log(`Python ${found.version.split(' ')[0]}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  if (!cuts && passed < testsMin) throw new Error(`only ${passed} tests passed`);
  return status === 0 ? 0 : 1;
}

/** The cut streams of the Python client as a part of a long run (tools/soak.mjs). */
export function pythonCuts(amount) {
  return {
    label: `${amount} cuts of streams of the Python client`,
    runner: 'tools/python-client.mjs',
    args: ['cuts'],
    env: { CLIENT_CUTS: String(amount) },
  };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.exit(
    await main().catch((error) => {
      console.error(error.message);
      return 1;
    }),
  );
