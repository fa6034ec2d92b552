// Runs jest; for the black-box suites it starts one embedded service first, unless BASE_URL names a running one. The
// service may reach 127.0.0.1 at each of ACTIONS_PORTS (the first is ACTIONS_PORT), where suites that run at the same
// time can listen as somebody's action server. node tools/test.mjs [jest arguments]
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbedded } from './embedded-service.mjs';
import { runJest } from './jest.mjs';
import { actionsPorts } from './ports.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const args = process.argv.slice(2);
const readyMs = 180_000;

/** Starts the service; gives what the suites need and how to stop it. */
async function startService() {
  const actions = await actionsPorts();
  const { url, key, folder, output, stop } = await startEmbedded({
    word: 'test',
    organization: 'Test',
    settings: {
      SVC_WORKER_LEASE_SECONDS: '6',
      SVC_EGRESS_ALLOW: process.env.SVC_EGRESS_ALLOW ?? actions.ports.map((one) => `127.0.0.1:${one}`).join(','),
    },
    readyMs,
  });
  return {
    env: { BASE_URL: url, OWNER_KEY: key, SERVICE_DATA_DIR: folder, ...actions.env },
    async stop() {
      await stop();
      if (/"level":(50|60|"error"|"fatal")/.test(output())) console.error(`the service logged errors:\n${output()}`);
    },
  };
}

const built = spawnSync(process.execPath, [join(root, 'tools', 'build.mjs')], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
if (built.status !== 0) process.exit(1);
const paths = args.filter((arg) => !arg.startsWith('-'));
const needsService = !process.env.BASE_URL && (paths.length === 0 || paths.some((path) => path.includes('tests')));
const service = needsService ? await startService() : null;
/** Made by the first suite that starts a service of its own, for all of them. */
const ownBuild = join(root, 'dist', `own-${process.pid}`);
const code = await runJest(args, { ...process.env, OWN_BUILD: ownBuild, ...service?.env });
await service?.stop();
rmSync(ownBuild, { recursive: true, force: true });
process.exit(code);
