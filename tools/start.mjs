// Builds what changed, in a child so that the compiler's memory does not stay, then runs one app: node tools/start.mjs
// <app> [arguments]. Compiled code is kept beside the build for the next start.
import { spawnSync } from 'node:child_process';
import { enableCompileCache } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isBuilt } from './build.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [app, ...args] = process.argv.slice(2);
if (!isBuilt()) {
  const built = spawnSync(process.execPath, [join(root, 'tools', 'build.mjs')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (built.status !== 0) process.exit(1);
}
enableCompileCache(join(root, 'dist', 'compile-cache'));
const main = join(root, 'dist', 'apps', app, 'src', 'main.js');
process.argv.splice(1, process.argv.length - 1, main, ...args);
process.setSourceMapsEnabled(true);
await import(pathToFileURL(main).href);
