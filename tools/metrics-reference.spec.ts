import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

test('every metric is in docs/OPERATIONS.md, and dashboard, alerts and runbooks name only what is there', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(__dirname, 'metrics-reference.mjs'), '--check'],
    { encoding: 'utf8' },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(Number(stdout.split(' ')[0])).toBeGreaterThan(20);
});
