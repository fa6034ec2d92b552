import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Runs an expression over the tour's functions. */
function told(expression: string): unknown {
  const script = `import { blocksOf, missingLine } from ${JSON.stringify(join(__dirname, 'tour.mjs'))}; console.log(JSON.stringify(${expression}))`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

describe('the tour through the README', () => {
  test('takes shell blocks with what they print', () => {
    const markdown = 'a\n```sh\nls\n```\n```text\nx\n```\n```sh\npwd\n```\n';
    expect(told(`blocksOf(${JSON.stringify(markdown)})`)).toEqual([
      { command: 'ls', printed: 'x' },
      { command: 'pwd', printed: null },
    ]);
  });

  test('sees a line that was not printed, or not in that order', () => {
    expect(told('missingLine(\'{"a":1,…}\\nend\', \'{"a":1,"b":2}\\nmore\\nend\')')).toBeNull();
    expect(told('missingLine(\'{"a":2,…}\', \'{"a":1,"b":2}\')')).toBe('{"a":2,…}');
    expect(told("missingLine('one\\ntwo', 'two\\none')")).toBe('two');
  });

  test('the README is true, word for word', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(__dirname, 'tour.mjs')], {
      encoding: 'utf8',
      timeout: 110_000,
    });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(stdout).toContain('ran as printed');
  }, 120_000);
});
