import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..');
const tables = join(__dirname, 'guide', 'tables.mjs');

interface Tables {
  pages: [path: string, text: string][];
  faults: { where: string; what: string }[];
}

/** Makes the pages from this workspace, in which some files have another text. */
function madeWith(changes: Record<string, (text: string) => string> = {}): Tables {
  const changed = Object.entries(changes).map(([path, change]) => [
    path,
    change(readFileSync(join(root, path), 'utf8')),
  ]);
  const script = `import { globSync, readFileSync } from 'node:fs';
    import { guideTables } from ${JSON.stringify(tables)};
    const changed = new Map(${JSON.stringify(changed)});
    const read = (path) => changed.get(path) ?? readFileSync(${JSON.stringify(root)} + '/' + path, 'utf8');
    const { pages, faults } = guideTables({ read, glob: (pattern) => globSync(pattern, { cwd: ${JSON.stringify(root)} }) });
    console.log(JSON.stringify({ pages: [...pages], faults }));`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module'], {
    input: script,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Tables;
}

describe('the tables of the guide', () => {
  test('are what errors, settings, contract and sources say: node tools/run.mjs tools/guide-tables.mjs writes them', () => {
    const { pages, faults } = madeWith();
    expect(faults).toEqual([]);
    expect(pages.map(([path]) => path)).toEqual(['docs/guide/errors.md', 'docs/guide/limits.md']);
    for (const [path, text] of pages) expect(readFileSync(join(root, path), 'utf8')).toBe(text);
  });

  test('change when the contract, a setting or a constant does', () => {
    const { pages } = madeWith({
      'contract/openapi.yaml': (text) => text.replace('Agent admits no turns.', 'Agent sleeps.'),
      'docs/SETTINGS.md': (text) => text.replace('`SVC_RATE_LIMIT_KEY_RPM` | 600', '`SVC_RATE_LIMIT_KEY_RPM` | 601'),
      'libs/sessions/src/session/session.limits.ts': (text) =>
        text.replace('pendingNudgesMax = 32', 'pendingNudgesMax = 33'),
    });
    const [errors, limits] = pages.map(([, text]) => text);
    expect(errors).toContain('| `agent_inactive` | 409 | Agent sleeps. |');
    expect(limits).toContain('| Requests a minute of a key (`SVC_RATE_LIMIT_KEY_RPM`) | 601 |');
    expect(limits).toContain('| Pending nudges of a session | 33 | 409 `nudge_queue_full` |');
  });

  test('ask for a text for every code, and for none that is gone', () => {
    const { faults } = madeWith({ 'tools/guide/errors.yaml': (text) => text.replace(/^last_owner:/m, 'first_owner:') });
    expect(faults.map(({ what }) => what)).toEqual([
      'first_owner is not in the error catalogue',
      'last_owner has no text: retry (no, later, changed) and do',
    ]);
  });

  test('ask for a row for every limit, and for a number in every row', () => {
    const { faults } = madeWith({
      'libs/sessions/src/session/session.limits.ts': (text) =>
        `${text.replace('blocksMax = 2000', 'rowBlocksMax = 2000').replace('rowsPerMark', 'rowsPerSign')}export const dreamsMax = 3;\n`,
    });
    const file = 'libs/sessions/src/session/session.limits.ts';
    expect(faults.map(({ what }) => what)).toEqual([
      `Content blocks of a row: code ${file} blocksMax has no number`,
      `${file} rowsPerMark is internal, and not there`,
      `${file} rowBlocksMax is in no row, and not internal`,
      `${file} rowsPerSign is in no row, and not internal`,
      `${file} dreamsMax is in no row, and not internal`,
    ]);
  });

  test('are compared by --check', () => {
    const { status, stderr } = spawnSync(process.execPath, [join(__dirname, 'guide-tables.mjs'), '--check'], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(globSync('docs/guide/{errors,limits}.md', { cwd: root })).toHaveLength(2);
  });
});
