// Validates deploy/observability/alerts.yaml with promtool; takes it out of Debian's package when it is not installed.
// node tools/run.mjs tools/alerts.mjs
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, '.cache', 'engines', 'prometheus');
const timeoutMs = 300_000;

function run(command, args, options = {}) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: timeoutMs,
    ...options,
  });
  if (error || status !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`.trim()}`);
  return stdout;
}

/** Gives the folder of the unpacked package; nothing is installed, and no service is started. */
export function prometheusFolder() {
  if (existsSync(join(folder, 'usr', 'bin', 'promtool'))) return folder;
  mkdirSync(folder, { recursive: true });
  console.error('fetching promtool from Debian (once)');
  run('apt-get', ['download', '-q', 'prometheus'], { cwd: folder });
  const deb = readdirSync(folder).find((file) => file.endsWith('.deb'));
  if (deb === undefined) throw new Error('apt-get gave no package');
  run('dpkg', ['-x', join(folder, deb), folder]);
  return folder;
}

/** One that is installed, or the package's. */
function promtool() {
  return spawnSync('promtool', ['--version'], { stdio: 'ignore' }).status === 0
    ? 'promtool'
    : join(prometheusFolder(), 'usr', 'bin', 'promtool');
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.stdout.write(run(promtool(), ['check', 'rules', join(root, 'deploy', 'observability', 'alerts.yaml')]));
