import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'jest-again-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Runs suites, given by name and text, as the tools do. Each adds its name to a list when it is loaded. */
function outcome(suites: Record<string, string>, attempts = '2') {
  const place = mkdtempSync(join(folder, 'suites-'));
  const loads = join(place, 'loads');
  writeFileSync(loads, '');
  for (const [name, text] of Object.entries(suites)) {
    mkdirSync(join(place, 'tests'), { recursive: true });
    const said = `require('node:fs').appendFileSync(${JSON.stringify(loads)}, '${name}\\n');`;
    const first = `const isFirst = require('node:fs').readFileSync(${JSON.stringify(loads)}, 'utf8').split('${name}').length === 2;`;
    writeFileSync(join(place, 'tests', `${name}.spec.js`), [said, first, text].join('\n'));
  }
  const config = { rootDir: place, setupFilesAfterEnv: [join(__dirname, 'jest-attempts.cjs')] };
  const args = ['--config', JSON.stringify(config), 'tests/'];
  const program = `
    const { runJest } = await import(${JSON.stringify(join(__dirname, 'jest.mjs'))});
    process.exit(await runJest(${JSON.stringify(args)}, process.env));`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    env: { ...process.env, SVC_TEST_ATTEMPTS: attempts, CI: 'true' },
  });
  const again = stderr.split('\n').filter((line) => /^ *RETRY [0-9].*again whole/.test(line)).length;
  return { status, again, loads: readFileSync(loads, 'utf8').trim().split('\n').sort() };
}

const sound = `test('holds', () => {});`;
const unpreparedAtFirst = `beforeAll(() => { if (isFirst) throw new Error('not yet'); }); ${sound}`;
const unpreparedEachTime = `beforeAll(() => { throw new Error('never'); }); ${sound}`;
const endsBadlyAtFirst = `afterAll(() => { if (isFirst) throw new Error('not yet'); }); ${sound}`;
const notReadAtFirst = `if (isFirst) throw new Error('not yet'); ${sound}`;
const wrong = `test('does not hold', () => { throw new Error('wrong'); });`;

describe('a suite whose preparation failed', () => {
  it('is run once more, alone and whole', () => {
    expect(outcome({ sound, unpreparedAtFirst })).toEqual({
      status: 0,
      again: 1,
      loads: ['sound', 'unpreparedAtFirst', 'unpreparedAtFirst'],
    });
  });

  it('so is one whose end failed, and one that could not be read', () => {
    const { status, again } = outcome({ endsBadlyAtFirst, notReadAtFirst });
    expect({ status, again }).toEqual({ status: 0, again: 2 });
  });

  it('fails when it fails again', () => {
    const { status, loads } = outcome({ unpreparedEachTime });
    expect({ status, loads }).toEqual({ status: 1, loads: ['unpreparedEachTime', 'unpreparedEachTime'] });
  });
});

describe('nothing is run again', () => {
  it.each([
    ['when a test failed, which jest has repeated', { wrong, unpreparedAtFirst }],
    ['when the suite draws by chance', { unpreparedAtFirst: `'fast-check'; ${unpreparedAtFirst}` }],
    ['when four suites failed', { a: unpreparedAtFirst, b: notReadAtFirst, c: unpreparedAtFirst, d: endsBadlyAtFirst }],
  ])('%s', (_when, suites) => {
    const { status, again, loads } = outcome(suites);
    expect({ status, again, loads }).toEqual({ status: 1, again: 0, loads: Object.keys(suites).sort() });
  });

  it('where one attempt was asked for', () => {
    expect(outcome({ unpreparedAtFirst }, '1')).toEqual({ status: 1, again: 0, loads: ['unpreparedAtFirst'] });
  });
});
