import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const dist = mkdtempSync(join(tmpdir(), 'build-'));

afterAll(() => {
  rmSync(dist, { recursive: true });
});

async function built(...options: string[]): Promise<number> {
  const { stderr } = await promisify(execFile)(process.execPath, [join(__dirname, 'build.mjs'), dist, ...options]);
  return Number(/built (\d+) files/.exec(stderr)?.[1]);
}

/** What a start asks before it runs what lies there. */
async function isBuilt(): Promise<boolean> {
  const asked = `import(${JSON.stringify(join(__dirname, 'build.mjs'))}).then((b) => console.log(b.isBuilt(process.argv[1])))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', asked, dist]);
  return stdout.trim() === 'true';
}

const outputs = () => globSync('{apps,libs}/**/*.js', { cwd: dist }).length;

test('two builds of one folder at once take turns, the second has nothing to do, and what went missing is made again', async () => {
  const counts = await Promise.all([built(), built()]);
  expect(Math.min(...counts)).toBe(0);
  expect(Math.max(...counts)).toBeGreaterThan(500);
  expect(JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8'))).toMatchObject({
    name: 'dist',
    type: 'commonjs',
  });
  const main = join(dist, 'apps', 'embedded', 'src', 'main.js');
  rmSync(main);
  expect(await built()).toBe(1);
  expect(existsSync(main)).toBe(true);
  expect(await built()).toBe(0);
});

test('what runs is what the sources say: after a touched file, and after a build that was killed (rule TP20)', async () => {
  await built();
  expect(await isBuilt()).toBe(true);
  const whole = outputs();

  const source = join(__dirname, '..', 'apps', 'embedded', 'src', 'main.ts');
  utimesSync(source, new Date(), new Date());
  expect(await isBuilt()).toBe(false);
  expect(await built()).toBe(1);
  expect(await isBuilt()).toBe(true);

  rmSync(dist, { recursive: true });
  const killed = spawn(process.execPath, [join(__dirname, 'build.mjs'), dist], { stdio: 'ignore' });
  const ended = once(killed, 'exit');
  while (outputs() === 0 && killed.exitCode === null) await new Promise((resolve) => setImmediate(resolve));
  killed.kill('SIGKILL');
  await ended;
  expect(await isBuilt()).toBe(false);
  await built();
  expect([await isBuilt(), outputs()]).toEqual([true, whole]);
});

test('a service runs one file with all our code that it loads, made anew with any of its sources (ADR 76)', async () => {
  await built();
  const fileOf = (name: string) => join(dist, 'libs', 'composition', 'src', `${name}.js`);
  const program = fileOf('embedded-program');
  const required = (file: string) =>
    [...readFileSync(file, 'utf8').matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name);
  const whole = readFileSync(program, 'utf8');
  const programs = { embedded: 'embedded-program', gateway: 'fleet-programs', 'session-service': 'fleet-programs' };
  for (const [app, name] of Object.entries(programs)) {
    expect(required(join(dist, 'apps', app, 'src', 'main.js'))).toEqual([
      'reflect-metadata',
      `../../../libs/composition/src/${name}.js`,
    ]);
    expect(required(fileOf(name))).toContain('@nestjs/common');
    expect(required(fileOf(name)).filter((other) => /^[./]|^@aos/.test(other!))).toEqual([]);
  }

  const source = join(__dirname, '..', 'libs', 'kernel', 'src', 'json.ts');
  const lineIn = (text: string) => text.split('\n').findIndex((line) => line.includes('function isJsonObject('));
  const map = new SourceMap(JSON.parse(readFileSync(`${program}.map`, 'utf8')));
  const found = map.findEntry(lineIn(whole), 9);
  expect(found).toMatchObject({ originalLine: lineIn(readFileSync(source, 'utf8')) });
  expect('originalSource' in found && resolve(dirname(program), found.originalSource)).toBe(source);

  appendFileSync(program, '// of before');
  utimesSync(source, new Date(), new Date());
  expect(await built()).toBe(1);
  expect(readFileSync(program, 'utf8')).toBe(whole);

  await built('--unbundled');
  expect(required(program).every((name) => name!.startsWith('.'))).toBe(true);
});
