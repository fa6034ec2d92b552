import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
