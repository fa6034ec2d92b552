import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'bounds-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Runs statements of a module of `tools`; gives what they leave in `result`. Fails when they do not end. */
function evaluated(statements: string): unknown {
  const imports = [
    `import { Engine } from ${JSON.stringify(join(__dirname, 'engine.mjs'))};`,
    `import { run, versionOf } from ${JSON.stringify(join(__dirname, 'commands.mjs'))};`,
    `import { startFleet } from ${JSON.stringify(join(__dirname, '..', 'fleet', 'start-fleet.mjs'))};`,
    `const folder = ${JSON.stringify(folder)};`,
    'const refusal = async (work) => { try { await work(); return null; } catch (error) { return error.message; } };',
    'const never = () => new Promise(() => { setInterval(() => undefined, 60_000); });',
  ];
  const script = `${imports.join('\n')} let result; ${statements}; console.log(JSON.stringify(result)); process.exit(0);`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: 120_000,
  });
  if (status !== 0) throw new Error(`ended with ${status}: ${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

describe('what installs and starts engines ends within a bound', () => {
  it('a command that never ends, also one that takes no signal, is a fault that names its log', () => {
    const log = join(folder, 'install.log');
    const stubborn = `trap '' TERM; echo begun; while :; do read -r line < /dev/zero; done`;
    expect(
      evaluated(
        `result = await refusal(() => run('sh', ['-c', ${JSON.stringify(stubborn)}], { log: ${JSON.stringify(log)}, timeoutMs: 2_000 }))`,
      ),
    ).toBe(`sh -c ${stubborn} did not end within 2 s; its output: ${log}\nbegun`);
    expect(readFileSync(log, 'utf8')).toBe('begun\n');
  });

  it('a command that fails names its log and its last lines; one that ends gives what it printed', () => {
    const log = join(folder, 'failing.log');
    const options = `{ log: ${JSON.stringify(log)} }`;
    expect(
      evaluated(`result = [
        run('sh', ['-c', 'echo fine'], ${options}),
        await refusal(() => run('sh', ['-c', 'echo bad >&2; exit 3'], ${options})),
        await refusal(() => run('no-such-command', [], ${options})),
      ]`),
    ).toEqual([
      'fine\n',
      `sh -c echo bad >&2; exit 3 ended with 3; its output: ${log}\nfine\nbad`,
      `no-such-command cannot run: spawnSync no-such-command ENOENT; its output: ${log}\nfine\nbad`,
    ]);
  });

  it('a version that is never said is a fault, and a command that is not there has none', () => {
    expect(
      evaluated(`result = [
        versionOf('no-such-command'),
        await refusal(() => versionOf('sh', ['-c', 'exec tail -f /dev/null'], 300)),
      ]`),
    ).toEqual([null, 'sh -c exec tail -f /dev/null did not end within 0.3 s']);
  });

  it('an engine that never answers, also where the question never ends, is ended and names its log', () => {
    const [refusal, pid] = evaluated(`
      const engine = new Engine({
        name: 'silent', folder, command: 'sh', args: ['-c', 'echo listening; exec tail -f /dev/null'],
        probe: never, startMs: 3_000,
      });
      result = [await refusal(() => engine.start()), engine.pid]`) as [string, number | null];
    expect(refusal).toMatch(/^silent did not answer within 3000 ms \(a question took longer than \S+ s\); its log: /);
    expect(refusal).toContain(`${join(folder, 'silent.log')}\nlistening`);
    expect(pid).toBeNull();
  });

  it('an engine whose program is not there says so, and can be stopped', () => {
    const [refusal, pid] = evaluated(`
      const engine = new Engine({
        name: 'absent', folder, command: 'no-such-command', args: [], detached: true,
        probe: () => Promise.reject(new Error('no answer')), startMs: 5_000,
      });
      result = [await refusal(() => engine.start()), engine.pid];
      await engine.stop()`) as [string, number | null];
    expect(refusal).toMatch(/^absent ended with spawn no-such-command ENOENT at its start; its log: /);
    expect(pid).toBeNull();
  });

  it('a fleet that never says that it is ready is stopped, and its logs are named', () => {
    const launcher = join(folder, 'launcher.mjs');
    writeFileSync(launcher, "console.log('waiting'); setInterval(() => undefined, 60_000);");
    expect(
      evaluated(
        `result = await refusal(() => startFleet('dist', folder, {}, { withinMs: 3_000, launcher: ${JSON.stringify(launcher)} }))`,
      ),
    ).toBe(
      `the start of the fleet (its logs: ${join(folder, 'fleet')}, ${join(folder, 'engines')}) took longer than 3 s`,
    );
  });
});
