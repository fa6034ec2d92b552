import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Io } from './console/io.js';
import { isOpenToOthers, profilesPath } from './connection/profiles.js';
import { operatorWords, runProgram, type ProgramParts } from './program.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-program-'));
afterAll(() => rmSync(folder, { recursive: true }));
const packed: ProgramParts = { version: '1.2.3', operator: null, localChecks: null };

async function run(argv: string[], { parts = packed, env = {} }: { parts?: ProgramParts; env?: Io['env'] } = {}) {
  const [input, out, error] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const code = await runProgram(argv, { input, out, error, env: { XDG_CONFIG_HOME: folder, ...env } }, parts);
  const text = (stream: PassThrough) => (stream.read() as Buffer | null)?.toString() ?? '';
  return { code, out: text(out), error: text(error) };
}

describe('svc', () => {
  it('shows its help: on request on standard output, and on standard error where nothing was asked', async () => {
    expect(await run(['--help'])).toMatchObject({ code: 0, error: '' });
    expect(await run(['help', 'chat'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('svc chat guide') as string,
    });
    for (const argv of [['help'], ['agents', 'help'], ['agents', '--help'], ['agents', 'list', '--help']])
      expect(await run(argv)).toMatchObject({
        code: 0,
        out: expect.stringContaining('Usage: svc') as string,
        error: '',
      });
    expect(await run([])).toMatchObject({ code: 2, out: '', error: expect.stringContaining('Usage: svc') as string });
    expect(await run(['agents'])).toMatchObject({
      code: 2,
      out: '',
      error: expect.stringContaining('create') as string,
    });
    expect(await run(['--version'])).toEqual({ code: 0, out: '1.2.3\n', error: '' });
  });

  it('refuses a key among the arguments, wherever it stands, and names SVC_KEY', async () => {
    for (const argv of [
      ['--key', 'x', 'status'],
      ['agents', 'list', '--key=x'],
      ['org', 'create', '--key', 'x'],
    ])
      expect(await run(argv)).toMatchObject({ code: 2, out: '', error: expect.stringContaining('SVC_KEY') as string });
  });

  it('says what it does not understand like every other error', async () => {
    for (const [argv, error] of [
      [['--nonsense'], "Error: unknown option '--nonsense'\n"],
      [['statsu'], "Error: unknown command 'statsu'\n  Did you mean status?\n"],
      [['statsu', '--help'], "Error: unknown command 'statsu'\n"],
      [['--url', 'http://127.0.0.1:1', 'agents', 'lst', '-h'], "Error: unknown command 'lst'\n"],
      [['agents', 'list', '--nam', 'x'], "Error: unknown option '--nam'\n  Did you mean --name?\n"],
      [['agents', 'get'], "Error: missing required argument 'agent_id'\n"],
      [['agents', 'list', '--limit', '0'], 'Error: --limit takes a number from 1, not 0\n'],
    ] as [string[], string][])
      expect(await run(argv)).toEqual({ code: 2, out: '', error });
    const { error } = await run(['--nonsense\u001b[2J']);
    expect(error).toMatch(/^Error: unknown option '--nonsense[^\u001b]*'\n$/);
  });

  it("hands the operator's words on as they are, and names them where it has no operator", async () => {
    const asked: string[][] = [];
    const operator = (argv: readonly string[]) => {
      asked.push([...argv]);
      return Promise.resolve(7);
    };
    for (const word of operatorWords) {
      expect((await run([word, '--org', 'o', '--help'], { parts: { ...packed, operator } })).code).toBe(7);
      expect(await run([word])).toMatchObject({ code: 2, error: expect.stringContaining(`svc -- ${word}`) as string });
    }
    expect(asked).toEqual(operatorWords.map((word) => [word, '--org', 'o', '--help']));
  });

  it('gives 1 for what is not understood where 2 means changes', async () => {
    expect((await run(['plan'])).code).toBe(2);
    expect((await run(['plan', '--detailed-exitcode'])).code).toBe(1);
    expect((await run(['plan', '-f', join(folder, 'none.yaml'), '--detailed-exitcode'])).code).toBe(1);
  });

  it('sends the key of a profile to its own address only', async () => {
    const path = profilesPath({ XDG_CONFIG_HOME: folder });
    mkdirSync(dirname(path), { recursive: true });
    const profile = 'current: home\nprofiles:\n  home: {url: "http://127.0.0.1:1", key: svck_secret}\n';
    writeFileSync(path, profile, { mode: 0o600 });
    const elsewhere = await run(['agents', 'list'], { env: { SVC_URL: 'http://127.0.0.1:2' } });
    expect(elsewhere).toMatchObject({
      code: 1,
      error: expect.stringContaining('no API key for http://127.0.0.1:2') as string,
    });
    expect(isOpenToOthers(path)).toBe(false);
    chmodSync(path, 0o644);
    expect(isOpenToOthers(path)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o644);
    writeFileSync(path, 'profiles: [\n');
    expect(await run(['status'])).toMatchObject({ code: 1, error: expect.stringContaining(path) as string });
    writeFileSync(path, 'other: 1\n');
    expect(await run(['status'])).toMatchObject({ code: 1, error: expect.stringContaining('`current`') as string });
    rmSync(path);
  });
});

describe('svc completion', () => {
  it('completes groups, verbs and options in bash', async () => {
    const { out } = await run(['completion', 'bash']);
    const script = join(folder, 'completion.bash');
    writeFileSync(script, out);
    const complete = (...words: string[]) => {
      const line = words.map((word) => `'${word}'`).join(' ');
      const { stdout, stderr } = spawnSync(
        'bash',
        ['-c', `source ${script}; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _svc; echo "\${COMPREPLY[@]}"`],
        { encoding: 'utf8' },
      );
      expect(stderr).toBe('');
      return stdout.trim().split(' ');
    };
    expect(complete('svc', 'sess')).toEqual(['sessions']);
    expect(complete('svc', 'sessions', 'ta')).toEqual(['tail']);
    expect(complete('svc', '--url', 'x', 'agents', 'li')).toEqual(['list']);
    expect(complete('svc', 'agents', 'list', '--na')).toEqual(['--name']);
    expect(complete('svc', 'agents', 'get', 'agent_1', '--out')).toEqual(['--output']);
  });

  it('has a script for zsh and fish with the same words, and says which shells there are', async () => {
    const zsh = await run(['completion', 'zsh']);
    expect(zsh.out).toMatch(/^#compdef svc/);
    const fish = await run(['completion', 'fish']);
    for (const { out } of [zsh, fish])
      for (const word of ['sessions', 'tail', 'forward-to']) expect(out).toContain(word);
    expect(await run(['completion', 'tcsh'])).toMatchObject({ code: 2, out: '' });
  });
});
