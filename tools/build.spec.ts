import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const dist = mkdtempSync(join(tmpdir(), 'build-'));

afterAll(() => {
  rmSync(dist, { recursive: true });
});

async function built(): Promise<number> {
  const { stderr } = await promisify(execFile)(process.execPath, [join(__dirname, 'build.mjs'), dist]);
  return Number(/built (\d+) files/.exec(stderr)?.[1]);
}

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
}, 120_000);
