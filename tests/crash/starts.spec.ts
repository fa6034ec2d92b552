import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwnService, failedStart } from '../harness/embedded.js';
import { createAgent, converse } from '../harness/index.js';

let folder: string;
let taken: Server;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'aos-starts-'));
  taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
});

afterAll(() => {
  taken.close();
  rmSync(folder, { recursive: true, force: true });
});

/** One sentence that begins with the setting, and no stack. */
async function refusedFor(setting: string, settings: Record<string, string>): Promise<string> {
  const { code, output } = await failedStart(settings);
  expect(output).toMatch(new RegExp(`^${setting}: `, 'm'));
  expect(output).not.toMatch(/^\s+at /m);
  expect(
    output
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('SVC_')),
  ).toHaveLength(1);
  expect(code).toBe(1);
  return output;
}

describe('a start that cannot succeed ends with one sentence that names the setting', () => {
  it('a folder that cannot be made, is none, or cannot be written', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    const paths = ['/proc/service-data', '/proc/service/data', join(file, 'data'), file];
    for (const output of await Promise.all(paths.map((path) => refusedFor('SVC_DATA_DIR', { SVC_DATA_DIR: path }))))
      expect(output).toContain('cannot be made');
    expect(await refusedFor('SVC_DATA_DIR', { SVC_DATA_DIR: '/proc/self' })).toContain('cannot be written');
  });

  it('a folder whose log is none', async () => {
    const data = mkdtempSync(join(folder, 'data-'));
    writeFileSync(join(data, 'log.db'), 'no database at all, but long enough to be looked at as one'.repeat(100));
    expect(await refusedFor('SVC_DATA_DIR', { SVC_DATA_DIR: data })).toContain('log');
  });

  it('a port that is in use, an address that is not of this machine', async () => {
    const port = String((taken.address() as AddressInfo).port);
    const settings = ['SVC_PORT', 'SVC_METRICS_PORT', 'SVC_SMTP_PORT'];
    const outputs = await Promise.all(settings.map((setting) => refusedFor(setting, { [setting]: port })));
    for (const output of outputs) expect(output).toContain(`the port ${port} on 127.0.0.1 is in use`);
    const hosts = ['203.0.113.1', 'no-such-host.invalid'];
    await Promise.all(hosts.map((host) => refusedFor('SVC_HOST', { SVC_HOST: host })));
  });

  it('a models file that is not there', async () => {
    await refusedFor('SVC_MODELS_FILE', { SVC_MODELS_FILE: join(folder, 'none.yaml') });
  });
});

describe('a service of its own', () => {
  let service: OwnService;
  afterEach(() => service.remove());

  it('a second one on its folder ends with a message that names the first', async () => {
    service = await OwnService.start();
    expect(await refusedFor('SVC_DATA_DIR', { SVC_DATA_DIR: service.folder })).toContain('in use by another process');
  });

  it('a name that is no setting is a warning with the nearest one', async () => {
    service = await OwnService.start({ SVC_RATE_LIMIT_KEYS_RPM: '5', SVC_MASTER_KEY_FILE: '/x' });
    expect(service.output).toContain(
      'SVC_RATE_LIMIT_KEYS_RPM is no setting; the nearest one is SVC_RATE_LIMIT_KEY_RPM',
    );
    expect(service.output).toContain('SVC_MASTER_KEY_FILE is no setting; the nearest one is SVC_MASTER_KEYS_FILE');
  });

  it('without the console has a first page whose three commands work as they stand', async () => {
    service = await OwnService.start({ SVC_CONSOLE: 'off' });
    const answer = await fetch(service.client.url('/'));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const commands = (await answer.text())
      .split('\n')
      .filter((line) => line.startsWith('   '))
      .join('\n')
      .replace('svck_...', String(service.client.key));
    const { stdout } = spawnSync('sh', ['-c', commands], { encoding: 'utf8', timeout: 120_000 });
    for (const part of ['"permissions":', '"name":"hello"', 'event: turn.completed', 'event: stream.end'])
      expect(stdout).toContain(part);
    expect(service.output).not.toContain('/console');
  });

  it('its folder is 0700 and its files 0600, those of earlier releases too', async () => {
    service = await OwnService.start();
    await converse(service.client, (await createAgent(service.client)).id, 'hi');
    const modes = () =>
      Object.fromEntries(
        ['', ...readdirSync(service.folder)]
          .map((name) => [name, statSync(join(service.folder, name))])
          .filter(([, found]) => typeof found === 'object' && !found.isSocket())
          .map(([name, found]) => [name, ((found as { mode: number }).mode & 0o777).toString(8)]),
      );
    const open = () =>
      Object.entries(modes()).filter(([name, mode]) => mode !== (name === '' || name === 'blobs' ? '700' : '600'));
    expect(Object.keys(modes())).toEqual(
      expect.arrayContaining(['', 'log.db', 'log.db-wal', 'views.db', 'lock.db', 'master-keys']),
    );
    expect(open()).toEqual([]);
    await service.end('SIGKILL');
    chmodSync(service.folder, 0o755);
    for (const name of Object.keys(modes()))
      if (name !== '' && name !== 'master-keys')
        chmodSync(join(service.folder, name), name === 'blobs' ? 0o700 : 0o644);
    await service.run();
    expect(open()).toEqual([]);
  });
});
