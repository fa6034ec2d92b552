import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccessModule, OperatorSocketModule, Organizations } from '@aos/access';
import { SystemClock } from '@aos/adapters/system';
import { embeddedPorts, portsModule } from '@aos/composition';
import { startApp } from '@aos/platform';
import { BadUsage, parseArguments } from './arguments.js';
import { runCommandLine } from './command-line.js';

const dataDir = mkdtempSync(join(tmpdir(), 'svc-'));
afterAll(() => rmSync(dataDir, { recursive: true }));

async function svc(...argv: string[]) {
  let out = '';
  let error = '';
  const code = await runCommandLine(argv, { SVC_DATA_DIR: dataDir }, { out: (text) => { out += text; }, error: (text) => { error += text; } });
  return { code, out, error };
}

describe('arguments', () => {
  it('are words and options', () => {
    expect(parseArguments(['org', 'create', 'My', 'Org', '--a', '1', '--b=2=3', '--', '--x'])).toEqual({ words: ['org', 'create', 'My', 'Org', '--x'], options: { a: '1', b: '2=3' }, wantsHelp: false });
    expect(() => parseArguments(['--a'])).toThrow(BadUsage);
  });
});

describe('the command line on a directory that nobody holds', () => {
  it('tells how it is used', async () => {
    expect(await svc('--help')).toMatchObject({ code: 0, error: '' });
    expect((await svc('--help')).out).toContain('org create <name>');
    expect((await svc()).code).toBe(2);
  });

  it('makes an organization, and works in it', async () => {
    const { code, out } = await svc('org', 'create', 'My', 'Org');
    const made = JSON.parse(out) as Record<string, string>;
    expect(code).toBe(0);
    expect(Object.keys(made)).toEqual(['org_id', 'owner_key']);
    expect(made.owner_key).toMatch(/^svck_[0-9A-Za-z]{40}$/);
    const org = String(made.org_id);
    const key = JSON.parse((await svc('key', 'create', 'ci', '--org', org, '--role', 'Viewer')).out) as Record<string, string>;
    expect(key).toMatchObject({ name: 'ci', org_role: 'Viewer' });
    expect((await svc('key', 'revoke', String(key.id), '--org', org)).code).toBe(0);
    const refused = await svc('key', 'revoke', String(key.id), '--org', org);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.error).toContain('not_found');
    expect(JSON.parse((await svc('key', 'list', '--org', org)).out)).toMatchObject({ items: [{ org_role: 'Owner' }] });
  });
});

describe('the command line beside a running service', () => {
  it('works through its socket, and the key it makes opens the API at once', async () => {
    const app = await startApp('embedded', async (core) => {
      const ports = await embeddedPorts(core);
      core.closers.push(() => ports.close());
      return [portsModule(ports), AccessModule, OperatorSocketModule];
    }, { clock: new SystemClock(), graceMs: 200, env: { SVC_PORT: '0', SVC_DATA_DIR: dataDir, SVC_LOG_LEVEL: 'silent' } });
    try {
      const status = async (key: string) => (await fetch(`${app.url}/v1/roles`, { headers: { authorization: `Bearer ${key}` } })).status;
      const made = JSON.parse((await svc('org', 'create', 'Beside')).out) as Record<string, string>;
      expect(await status(String(made.owner_key))).toBe(200);
      await app.nest.get(Organizations, { strict: false }).ensureFirst({}, () => undefined);
      const key = JSON.parse((await svc('key', 'create', 'for the first organization')).out) as Record<string, string>;
      expect(await status(String(key.key))).toBe(200);
      expect((await svc('key', 'revoke', String(key.id))).code).toBe(0);
      expect(await status(String(key.key))).toBe(401);
      expect((await svc('nothing')).error).toContain('no such command');
    } finally {
      await app.stop();
    }
  });

  it('says so when a fleet is set up instead', async () => {
    let error = '';
    const code = await runCommandLine(['role', 'list'], { SVC_DATA_DIR: dataDir, SVC_EVENTSTOREDB_URL: 'esdb://127.0.0.1:1' }, { out: () => undefined, error: (text) => { error += text; } });
    expect({ code, error }).toMatchObject({ code: 1, error: expect.stringContaining('fleet') });
  });
});
