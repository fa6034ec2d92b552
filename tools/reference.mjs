// Fetches the program of the page /docs: the standalone file of Scalar's API reference, and nothing of what that package
// depends on. It is kept in .cache and copied into dist by tools/build.mjs.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const version = '1.72.1';
/** Of the package as the registry has it; another one is refused. */
const integrity = 'sha512-XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow==';
const patienceMs = 300_000;

/** Where the program lies, compressed with gzip, once it was fetched; relative to the root. */
export const referenceProgram = join('.cache', 'reference', version, 'standalone.js.gz');

function run(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    timeout: patienceMs,
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`${command} ${args[0]}: ${error?.message ?? stderr}`);
  return stdout;
}

/** Fetches the program when it is not there. Says so when it cannot: the service runs without it, and /docs is 404. */
export function installReference() {
  if (existsSync(join(root, referenceProgram))) return;
  try {
    fetchReference(join(root, referenceProgram));
  } catch (error) {
    console.error(`The page /docs will answer 404, its program was not fetched: ${error.message}`);
  }
}

/** Throws when the registry does not answer or gives another package. */
function fetchReference(target) {
  const folder = mkdtempSync(join(tmpdir(), 'reference-'));
  try {
    const packed = run('npm', ['pack', `@scalar/api-reference@${version}`, '--json', '--ignore-scripts'], folder);
    const [{ filename, integrity: found }] = Object.values(JSON.parse(packed));
    if (found !== integrity) throw new Error(`@scalar/api-reference@${version} is ${found}, not ${integrity}`);
    run('tar', ['-xzf', filename, 'package/dist/browser/standalone.js'], folder);
    const program = readFileSync(join(folder, 'package', 'dist', 'browser', 'standalone.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(`${target}.${process.pid}`, gzipSync(program, { level: 9 }));
    renameSync(`${target}.${process.pid}`, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) installReference();
