// Runs jest; for the black-box suites it starts one embedded service first, unless BASE_URL names a running one. The
// service may reach 127.0.0.1 at each of ACTIONS_PORTS (the first is ACTIONS_PORT), where suites that run at the same
// time can listen as somebody's action server. node tools/test.mjs [jest arguments]
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { actionsPorts, freePort } from './ports.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const args = process.argv.slice(2);
const readyMs = 20_000;

/**
 * Starts the built embedded service on a free port with files in a new folder; gives what the suites need and how to
 * stop it.
 */
async function startService() {
  const folder = mkdtempSync(join(tmpdir(), 'aos-test-'));
  const port = await freePort();
  const actions = await actionsPorts();
  const ownerKey = `test_owner_${randomBytes(24).toString('hex')}`;
  const child = spawn(
    process.execPath,
    ['--enable-source-maps', join(root, 'dist', 'apps', 'embedded', 'src', 'main.js')],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        SVC_PORT: String(port),
        SVC_DATA_DIR: folder,
        SVC_BOOTSTRAP_ORG: 'Test',
        SVC_BOOTSTRAP_OWNER_KEY: ownerKey,
        SVC_LOG_LEVEL: 'warn',
        SVC_RATE_LIMIT_KEY_RPM: '0',
        SVC_RATE_LIMIT_ORG_RPM: '0',
        SVC_WORKER_LEASE_SECONDS: '6',
        SVC_EGRESS_ALLOW: process.env.SVC_EGRESS_ALLOW ?? actions.ports.map((one) => `127.0.0.1:${one}`).join(','),
      },
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-20_000);
    });
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + readyMs;
  for (;;) {
    const ready = await fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ready) break;
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the service did not start:\n${output}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  return {
    env: { BASE_URL: url, OWNER_KEY: ownerKey, SERVICE_DATA_DIR: folder, ...actions.env },
    async stop() {
      const ended = new Promise((resolve) => {
        child.once('exit', resolve);
      });
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
      if (/"level":(50|60|"error"|"fatal")/.test(output)) console.error(`the service logged errors:\n${output}`);
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
const jest = spawn(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
    ...args,
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, ...service?.env } },
);
const code = await new Promise((resolve) => {
  jest.on('exit', (status, signal) => resolve(signal ? 1 : status));
});
await service?.stop();
process.exit(code);
