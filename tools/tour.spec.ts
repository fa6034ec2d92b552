import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Runs an expression over the tour's functions. */
function told(expression: string): unknown {
  const [blocks, guide] = ['blocks.mjs', 'guide.mjs'].map((file) => JSON.stringify(join(__dirname, 'tour', file)));
  const script = `import { blocksOf, missingLine } from ${blocks}; import { takeGuide } from ${guide};
    console.log(JSON.stringify(${expression}))`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

interface Tour {
  status: number | string | null;
  stdout: string;
  stderr: string;
}
const argumentsOf = { readme: [], guide: ['guide'] };
type Part = keyof typeof argumentsOf;

function tour(part: Part): Promise<Tour> {
  return new Promise((resolve) => {
    const args = [join(__dirname, 'tour.mjs'), ...argumentsOf[part]];
    execFile(process.execPath, args, { timeout: 580_000 }, (error, stdout, stderr) => {
      resolve({ status: error ? (error.code ?? error.signal ?? null) : 0, stdout, stderr });
    });
  });
}

/** Begun at once: each has a service of its own, and waits for it most of the time. */
const begun = new Map<Part, Promise<Tour>>();
beforeAll(() => {
  for (const part of ['readme', 'guide'] as const) begun.set(part, tour(part));
});
/** What came of a part; one that is tested again is run again. */
function taken(part: Part): Promise<Tour> {
  const result = begun.get(part) ?? tour(part);
  begun.delete(part);
  return result;
}

describe('the tour through the README', () => {
  test('takes shell blocks with what they print', () => {
    const markdown = 'a\n```sh\nls\n```\n```text\nx\n```\n```sh\npwd\n```\n';
    expect(told(`blocksOf(${JSON.stringify(markdown)})`)).toEqual([
      { command: 'ls', printed: 'x' },
      { command: 'pwd', printed: null },
    ]);
  });

  test('knows a block that keeps running', () => {
    const markdown = '```sh terminal\nnode a.mjs\n```\n```text\nlistens\n```\n';
    expect(told(`blocksOf(${JSON.stringify(markdown)})`)).toEqual([
      { command: 'node a.mjs', printed: 'listens', keepsRunning: true },
    ]);
  });

  test('leaves out what is only shown, with what it prints', () => {
    const markdown = '```sh\nls\n```\n```bash\nnpm run fleet\n```\n```text\nready\n```\n';
    expect(told(`blocksOf(${JSON.stringify(markdown)})`)).toEqual([{ command: 'ls', printed: null }]);
  });

  test('sees a line that was not printed, or not in that order', () => {
    expect(told('missingLine(\'{"a":1,…}\\nend\', \'{"a":1,"b":2}\\nmore\\nend\')')).toBeNull();
    expect(told('missingLine(\'{"a":2,…}\', \'{"a":1,"b":2}\')')).toBe('{"a":2,…}');
    expect(told("missingLine('one\\ntwo', 'two\\none')")).toBe('two');
  });

  test('the README is true, word for word', async () => {
    const { status, stdout, stderr } = await taken('readme');
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(stdout).toContain('ran as printed');
  }, 600_000);

  test('the pages of the guide that ask for it are true, word for word', async () => {
    const { status, stdout, stderr } = await taken('guide');
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(Number(stdout.split(' ')[0])).toBeGreaterThan(35);
  }, 600_000);

  test('names the page of the guide and the line that is not true, and runs no page that does not ask', () => {
    const block = '```sh\nNAME=world\n```\n```sh\necho "hello $NAME"\n```\n```text\n';
    const pages = [
      ['quiet', '```sh\nfalse\n```\n'],
      ['right', `<!-- runs -->\n${block}hello world\n\`\`\`\n`],
      ['wrong', `<!-- runs -->\n${block}hello moon\n\`\`\`\n`],
    ];
    expect(told(`await takeGuide(${JSON.stringify(pages)}).catch(({ message }) => message.split('\\n')[0])`)).toBe(
      'wrong: not printed: hello moon',
    );
  });
});
