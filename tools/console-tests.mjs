// Runs the console's flows (tests/console/*.flow.ts) in Chromium against one embedded service that `npm run demo` has
// filled, unless BASE_URL and OWNER_KEY name another. node tools/run.mjs tools/console-tests.mjs [-- jest arguments]
import { build } from './build.mjs';
import { buildClient } from './client.mjs';
import { buildConsole } from './console.mjs';
import { startForConsole } from './console/service.mjs';
import { installChromium } from './engines/install.mjs';
import { runJest } from './jest.mjs';
import { actionsPorts } from './ports.mjs';

/** Flows that measure how fast a page is, or stop a service: none runs beside them. */
const alone = '/(transcript-speed|restart)\\.flow\\.ts$';
const atOnce = 2;

/** Gives 0 when all of these flows went well. */
function flows(...chosen) {
  return runJest(['--testMatch', '**/tests/console/**/*.flow.ts', ...chosen, ...args], env);
}

await Promise.all([build(), buildClient(), buildConsole()]);
const actions = process.env.BASE_URL ? null : await actionsPorts();
const service = actions
  ? await startForConsole({ settings: { SVC_EGRESS_ALLOW: actions.ports.map((one) => `127.0.0.1:${one}`).join(',') } })
  : null;
const env = { ...process.env, SVC_CHROMIUM: installChromium(), ...actions?.env, ...service?.env };
const args = process.argv
  .slice(2)
  .filter((arg) => arg !== '--')
  .flatMap((arg) => (arg.startsWith('-') ? [arg] : ['--testPathPatterns', arg]));
const isAll = !args.includes('--testPathPatterns');
let code = 1;
try {
  code = isAll ? await flows(`--maxWorkers=${atOnce}`, '--testPathIgnorePatterns', alone) : await flows('--runInBand');
  if (isAll) code = (await flows('--runInBand', '--testPathPatterns', alone)) || code;
} finally {
  await service?.stop();
}
process.exit(code);
