// Runs every *.engine.spec.ts of libs, clients and examples against real engines:
// node tools/run.mjs tools/engine-tests.mjs [jest arguments].
// tools/engines/for-tests.mjs says where each comes from. Without Kafka or Redis the run fails; without EventStoreDB
// its suite is a todo, and `npm test` runs the contract on the twin.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestEngines } from './engines/for-tests.mjs';
import { installChromium } from './engines/install.mjs';
import { runJest } from './jest.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Lets specs stop and start the engines: POST /<engine>/<verb>, answered when it is done. */
function control(engines) {
  return new Promise((resolve) => {
    const server = createServer(async (request, response) => {
      const [, name, verb] = request.url.split('/');
      try {
        await engines.control(name, verb);
        response.writeHead(204).end();
      } catch (error) {
        response.writeHead(500).end(error.message);
      }
    });
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

function jest(env) {
  const reporters = ['--reporters', 'default', '--reporters', join(root, 'tools/jest-not-run.cjs')];
  const chosen = process.argv.slice(2).flatMap((arg) => (arg.startsWith('-') ? [arg] : ['--testPathPatterns', arg]));
  const match = ['--testMatch', '**/{libs,tests/clients,tests/examples}/**/*.engine.spec.ts'];
  return runJest(['--runInBand', ...reporters, ...match, ...chosen], env);
}

const dir = mkdtempSync(join(tmpdir(), 'engine-tests-'));
const engines = await TestEngines.start(dir);
for (const line of engines.lines) console.error(`engine ${line}`);
const server = await control(engines);
const env = {
  ...process.env,
  ...engines.env,
  SVC_CHROMIUM: installChromium(),
  SVC_ENGINES_CONTROL: `http://127.0.0.1:${server.address().port}`,
};
let code = 1;
try {
  code = await jest(env);
} finally {
  server.close();
  await engines.stop();
  if (code === 0) rmSync(dir, { recursive: true, force: true });
  else console.error(`the engines' files are left in ${dir}`);
}
process.exit(code);
