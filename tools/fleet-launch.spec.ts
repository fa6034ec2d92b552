import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const launcher = join(__dirname, 'fleet', 'launch.mjs');

/** Runs statements over the launcher's exports; gives what they leave in `result`. */
function evaluated(statements: string): unknown {
  const script = `import * as launch from ${JSON.stringify(launcher)}; let result; ${statements}; console.log(JSON.stringify(result))`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: 120_000,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

test.each([
  ['esdb://svc:hush@a:2113,b:2113?tls=true&tlsCaFile=/x', 'esdb://a:2113,b:2113'],
  ['esdb://svc:hu@sh@a:2113', 'esdb://a:2113'],
  ['rediss://:hu/sh@redis:6379/1', 'rediss://redis:6379/1'],
  ['kafka-0:9092,kafka-1:9092', 'kafka-0:9092,kafka-1:9092'],
  ['(from SVC_REDIS_URL_FILE)', '(from SVC_REDIS_URL_FILE)'],
])('fleet.json shows the given engine %s without its account', (given, shown) => {
  expect(evaluated(`result = launch.withoutSecrets(${JSON.stringify(given)})`)).toBe(shown);
});

const keeper = join(__dirname, 'fleet', 'keeper.mjs');

test('what ends while it is brought back is brought back by one loop, which ends when it stands', () => {
  const lines = evaluated(`
    const { Keeper } = await import(${JSON.stringify(keeper)});
    const lines = [];
    const kept = new Keeper({ restartMs: 1, warn: (line) => { lines.push(line); }, onChange: () => {} });
    let [tries, onBack] = [0, null];
    const engine = {
      name: 'service-0', pid: null,
      async start() {
        if (engine.pid !== null) throw new Error('service-0 is running');
        tries += 1;
        engine.pid = tries;
        await new Promise((done) => { setTimeout(done, 1); });
        if (tries >= 4) { setTimeout(onBack, 30); return; }
        engine.pid = null;
        kept.bringBack(engine, 'code 1');
        if (tries % 2 === 1) throw new Error('service-0 ended at its start');
      },
    };
    const stands = new Promise((done) => { onBack = done; });
    kept.bringBack(engine, 'SIGKILL');
    await stands;
    await kept.stop();
    result = lines`) as string[];
  expect(lines.filter((line) => line.includes('is running'))).toEqual([]);
  expect(lines).toEqual([
    'service-0 ended (SIGKILL), starting it again in 1 ms',
    'service-0 ended at its start',
    'service-0 ended at its start',
    'service-0 is back',
  ]);
});

test('a data folder that cannot be made ends the launcher with one sentence that names the setting', () => {
  const fleet = `new launch.Fleet({ env: { SVC_DATA_DIR: '/proc/fleet-data' }, dist: ${JSON.stringify(join(__dirname, '..', 'dist'))}, print() {}, warn() {} })`;
  expect(evaluated(`result = await ${fleet}.start().catch((error) => error.message)`)).toBe(
    'SVC_DATA_DIR: the folder /proc/fleet-data cannot be made (ENOENT).',
  );
});

describe('keys of the launcher', () => {
  const keys = join(__dirname, 'fleet', 'keys.mjs');
  const made = (dataDir: string, env: object) =>
    evaluated(`
    const { fleetKeys } = await import(${JSON.stringify(keys)});
    const { readFileSync } = await import('node:fs');
    const of = fleetKeys(${JSON.stringify(env)}, ${JSON.stringify(dataDir)}, ['access-service', 'session-service', 'gateway']);
    const read = (settings) => Object.fromEntries(Object.entries(settings).map(([name, text]) => (name.endsWith('_FILE') ? [name.slice(0, -5), readFileSync(text, 'utf8').trim()] : [name, text])));
    result = { gateway: read(of('gateway')), session: read(of('session-service')) }`) as Record<
      'gateway' | 'session',
      Record<string, string>
    >;

  test('each service has its own seed, all the same public keys, and the door no key for secrets', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'launch-'));
    const { gateway, session } = made(dataDir, {});
    expect(Object.keys(gateway).sort()).toEqual(['SVC_CURSOR_KEYS', 'SVC_IDENTITY_KEYS', 'SVC_IDENTITY_SEED']);
    expect(Object.keys(session).sort()).toEqual([
      'SVC_CURSOR_KEYS',
      'SVC_IDENTITY_KEYS',
      'SVC_IDENTITY_SEED',
      'SVC_SEAL_KEYS',
    ]);
    expect(gateway['SVC_IDENTITY_SEED']).not.toBe(session['SVC_IDENTITY_SEED']);
    expect(session['SVC_IDENTITY_KEYS']?.split(',').map((entry) => entry.split(':')[0])).toEqual([
      'access-service',
      'session-service',
      'gateway',
      'operator',
    ]);
    expect(made(dataDir, {})).toEqual({ gateway, session });
    rmSync(dataDir, { recursive: true });
  });

  test('what an earlier release sealed with its master keys still opens, and given keys are used as they are', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'launch-'));
    const master = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
    writeFileSync(join(dataDir, 'master-keys'), `${master}\n`, { mode: 0o600 });
    const { session } = made(dataDir, {});
    for (const name of ['SVC_SEAL_KEYS', 'SVC_CURSOR_KEYS']) expect(session[name]?.split(',')[1]).toBe(master);
    expect(made(dataDir, { SVC_MASTER_KEYS: master })).toEqual({ gateway: {}, session: {} });
    rmSync(dataDir, { recursive: true });
  });
});
