import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

it('without a Python it says so, and ends as a step that could not run', () => {
  const env = { ...process.env, PYTHON: '/nowhere/python3' };
  const { status, stderr } = spawnSync(process.execPath, [join(__dirname, 'python-client.mjs')], {
    env,
    encoding: 'utf8',
  });
  expect(status).toBe(75);
  expect(stderr).toContain('not run: no Python 3.10 or newer');
});
