// Runs a script with a Node that is new enough: the system's own, or the pinned one of tools/runtime, fetched once.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const minimum = [24, 9];
const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Takes a version such as `24.21.0`; gives whether it is at least MINIMUM. */
function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > minimum[0] || (major === minimum[0] && minor >= minimum[1]);
}

function fetchRuntime(folder, binary) {
  console.error(
    `Node ${process.versions.node} is older than ${minimum.join('.')}: fetching Node 24 from the npm registry (once)`,
  );
  const npm = process.env.npm_execpath
    ? { command: process.execPath, prefix: [process.env.npm_execpath] }
    : { command: process.platform === 'win32' ? 'npm.cmd' : 'npm', prefix: [] };
  const install = spawnSync(
    npm.command,
    [...npm.prefix, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  if (install.status !== 0) return;
  for (const part of ['include', 'share', 'CHANGELOG.md']) {
    rmSync(join(dirname(dirname(binary)), part), { recursive: true, force: true });
  }
}

function findRuntime() {
  if (isNewEnough(process.versions.node)) return process.execPath;
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const folder = join(root, 'tools', 'runtime');
  const binary = join(
    folder,
    'node_modules',
    `node-${system}-${process.arch}`,
    'bin',
    system === 'win' ? 'node.exe' : 'node',
  );
  if (!existsSync(binary)) fetchRuntime(folder, binary);
  const probe = existsSync(binary) && spawnSync(binary, ['-p', 'process.versions.node'], { encoding: 'utf8' });
  if (!probe || probe.status !== 0 || !isNewEnough(probe.stdout.trim())) {
    console.error(
      `This project needs Node >= ${minimum.join('.')} and none could be fetched for ${system}-${process.arch}: install it from nodejs.org.`,
    );
    process.exit(1);
  }
  return binary;
}

const node = findRuntime();
const args = process.argv.slice(2);
if (args.length > 0) {
  const path = [dirname(node), join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
  const child = spawn(node, args, { stdio: 'inherit', env: { ...process.env, PATH: path } });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(signal ? 143 : (code ?? 1)));
}
