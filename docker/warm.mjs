// Loads every module once while the image is built, so that the compile cache holds them: starts the embedded program, then loads what only the fleet uses.
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const patienceMs = 120_000;
const folder = mkdtempSync(join(tmpdir(), 'warm-'));

const child = spawn(process.execPath, [...process.execArgv, 'start.mjs', 'embedded'], {
  cwd: import.meta.dirname,
  stdio: ['ignore', 'pipe', 'inherit'],
  timeout: patienceMs,
  env: { ...process.env, SVC_DATA_DIR: folder, SVC_HOST: '127.0.0.1', SVC_PORT: '18080', SVC_LOG_LEVEL: 'warn' },
});
createInterface({ input: child.stdout }).on('line', (line) => {
  if (line.includes('http://')) child.kill('SIGTERM');
});
const code = await new Promise((resolve) => {
  child.once('exit', resolve);
});
rmSync(folder, { recursive: true, force: true });
if (code !== 0) throw new Error(`the embedded program ended with ${code}`);

const require = createRequire(import.meta.url);
require('reflect-metadata');
for (const adapter of globSync('dist/libs/adapters/*/src/index.js', { cwd: import.meta.dirname }))
  require(join(import.meta.dirname, adapter));
for (const file of ['composition/src/fleet-programs.js', 'eventstore-twin/src/index.js'])
  require(join(import.meta.dirname, 'dist', 'libs', file));
