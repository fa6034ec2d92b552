// Makes the build that services of the suites' own run from, with its compiled code kept beside it: node
// tools/own-build.mjs <folder>. The first suite of a run that needs it makes it; the others find it made.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from './build.mjs';

/** An address for documentation: no machine has it, so the service loads all that it has and ends without listening. */
const noAddress = '203.0.113.1';
const startMs = 180_000;
const dist = resolve(process.argv[2]);
const whole = join(dist, '.own');

/** Node writes compiled code when a process ends by itself, which a killed one does not. */
function keepCompiledCode() {
  const folder = mkdtempSync(join(tmpdir(), 'aos-compiled-'));
  const settings = { SVC_HOST: noAddress, SVC_DATA_DIR: folder, NODE_COMPILE_CACHE: join(dist, 'compile-cache') };
  const { status, stderr } = spawnSync(process.execPath, [join(dist, 'apps', 'embedded', 'src', 'main.js')], {
    env: { ...process.env, ...settings },
    encoding: 'utf8',
    timeout: startMs,
  });
  rmSync(folder, { recursive: true, force: true });
  if (status !== 1) throw new Error(`a start on ${noAddress} ended with ${status}:\n${stderr}`);
}

if (!existsSync(whole)) {
  await build(dist);
  keepCompiledCode();
  writeFileSync(whole, '');
}
