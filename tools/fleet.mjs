// Builds, then runs the whole fleet on this machine until SIGTERM or SIGINT: npm run fleet. node tools/fleet.mjs
// [folder of the build]
import { spawnSync } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Fleet } from './fleet/launch.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = resolve(process.argv[2] ?? join(root, 'dist'));
const began = performance.now();

const built = spawnSync(process.execPath, [join(root, 'tools', 'build.mjs'), dist], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
if (built.status !== 0) process.exit(1);

let fleet = null;
let starting = Promise.resolve();
let stopping = null;
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
  process.on(signal, () => {
    stopping ??= (async () => {
      fleet?.giveUp();
      await starting.catch(() => undefined); // it has stopped itself
      await fleet?.stop();
      process.exit(0);
    })();
  });
}

try {
  fleet = new Fleet({
    env: process.env,
    dist,
    print: (line) => {
      console.log(line);
    },
    warn: (line) => {
      console.error(line);
    },
  });
  starting = fleet.start();
  const url = await starting;
  console.log(`fleet ready ${url}`);
  console.error(`started in ${Math.round(performance.now() - began)} ms`);
} catch (error) {
  if (!stopping) {
    console.error(error.message);
    process.exit(1);
  }
}
setInterval(() => undefined, 60_000); // children do not keep a process alive
