import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client, CommandLine, createAgent } from '../harness/index.js';

const root = join(__dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'svc-package-'));
const installed = join(folder, 'node_modules', 'agent-service-cli');
const api = Client.owner();
const env = { SVC_URL: process.env.BASE_URL ?? '', SVC_KEY: process.env.OWNER_KEY ?? '' };

function carriedOut(command: string, args: string[], cwd: string): string {
  const path = [dirname(process.execPath), process.env.PATH].join(':');
  const options = { cwd, encoding: 'utf8' as const, env: { ...process.env, PATH: path } };
  const { status, stdout, stderr } = spawnSync(command, args, options);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}${stdout}`);
  return stdout;
}

beforeAll(() => {
  const packed = carriedOut('npm', ['pack', '--pack-destination', folder, '--silent'], join(root, 'apps', 'svc'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true }));
  const tarball = join(folder, packed.trim().split('\n').at(-1) ?? '');
  carriedOut('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], folder);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the package of the command line', () => {
  it('has everything inside with its licences, and nothing of the workspace', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>;
    for (const member of ['dependencies', 'peerDependencies', 'private']) expect(manifest).not.toHaveProperty(member);
    expect(readFileSync(join(installed, 'dist', 'svc.cjs'), 'utf8')).not.toMatch(/require\("@aos\//);
    expect(readFileSync(join(installed, 'dist', 'LICENSES.txt'), 'utf8')).toMatch(
      /@clack\/prompts[^]*commander[^]*yaml/,
    );
  });

  it('runs from the folder that npm links', async () => {
    const linked = new CommandLine({ ...env, PATH: [dirname(process.execPath), process.env.PATH].join(':') }, [
      join(folder, 'node_modules', '.bin', 'svc'),
    ]);
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(await linked.run('--version')).toEqual({ code: 0, out: `${version}\n`, error: '' });
    linked.remove();
  });

  it.each((process.env.CLIENT_NODES ?? process.execPath).split(','))('does its work on %s', async (node) => {
    const svc = new CommandLine(env, [node, join(installed, 'dist', 'svc.cjs')]);
    const { name } = await createAgent(api);
    expect(await svc.json('agents', 'list', '--name', name)).toMatchObject([{ name }]);
    expect(await svc.fed('hello\n', 'chat', name)).toEqual({ code: 0, out: 'You said: hello\n', error: '' });
    expect((await svc.run('doctor')).code).toBe(0);
    expect((await svc.run('agents', 'list', '--output', 'table')).out).toMatch(/^ID +NAME/);
    expect(await svc.run('key', 'list')).toMatchObject({
      code: 2,
      out: '',
      error: expect.stringMatching(/operator's command[^]*npm run --silent svc -- key list/) as string,
    });
    svc.remove();
  });
});
