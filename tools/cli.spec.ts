import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '..');

it.each([
  ['apps/svc/src/operations/operations.ts holds the operations of the contract', 'cli-operations.mjs'],
  ['docs/CLI.md says what the program does', 'cli-reference.mjs'],
])('%s: node tools/run.mjs tools/%s writes it', (_what, tool) => {
  const { status, stderr } = spawnSync(process.execPath, [join(__dirname, tool), '--check'], {
    encoding: 'utf8',
    cwd: root,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
