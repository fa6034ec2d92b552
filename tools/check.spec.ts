import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const checker = join(__dirname, 'check.mjs');
const linter = join(__dirname, 'lint-text.mjs');
const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** Takes a tree as path to text; gives the folder it was written to. */
function written(tree: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'check-'));
  folders.push(folder);
  for (const [path, text] of Object.entries(tree)) {
    const file = join(folder, 'main', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return join(folder, 'main');
}

/** Gives the complaints about each tree, in one run of the checker's own function. */
function complaintsAbout(trees: Record<string, string>[]): string[][] {
  const script = `import { check } from ${JSON.stringify(checker)};
    console.log(JSON.stringify(${JSON.stringify(trees.map(written))}.map((root) => check(root, { filesMin: 1 }).complaints)))`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as string[][];
}

/** Nothing is wrong with it. */
const sound = { 'libs/kernel/src/part.ts': 'export const part = 0;\n' };

/** One rule, one invariant and one control, none of them cited. */
const law = {
  'docs/spec/rules.md': '| T1 | A turn ends once. |\n',
  'docs/spec/invariants.md': '| 1 | One row. | T1 | kill | none |\n',
  'docs/SECURITY.md': '| S3 keys | hashes | none |\n',
};

/** A guide that is whole but for its text. */
const guide = {
  'contract/openapi.yaml':
    'x-error-catalog: {gone: {status: 410, meaning: Is gone.}}\npaths: {/v1/a: {get: {tags: [parts]}}}\ncomponents: {}\n',
  'docs/SETTINGS.md': '',
  'docs/guide/README.md': 'About `parts`. [Errors](errors.md), [limits](limits.md)\n',
  'docs/guide/errors.md': '',
  'docs/guide/limits.md': '',
  'tools/guide/errors.yaml': 'gone: {retry: no, do: Look elsewhere.}\n',
  'tools/guide/limits.yaml': 'sections: []\n',
};

const faults: [string, Record<string, string>, string][] = [
  [
    'a long function in Python',
    { 'libs/client-python/src/a.py': `def far(\n    a: int,\n) -> None:\n${'    far()\n'.repeat(70)}\nX = 1\n` },
    'libs/client-python/src/a.py#far: 74 lines, at most 70',
  ],
  [
    'a checker that is silenced in Python',
    { 'libs/client-python/src/a.py': 'x = y  # type: ignore[name-defined]\n' },
    'libs/client-python/src/a.py: line 1 silences a checker',
  ],
  [
    'a type under a name that was given up',
    { 'libs/sessions/src/a.ts': 'export interface Doorbell { ring(): void }' },
    'libs/sessions/src/a.ts#Doorbell: is named ChangeNotifier here',
  ],
  [
    'a function under an ending that was given up',
    { 'libs/sessions/src/a.ts': 'export function agentOnWire() {}' },
    'libs/sessions/src/a.ts#agentOnWire: is named agentWire here',
  ],
  [
    'a comment with a word that was given up',
    { 'libs/sessions/src/a.ts': '/** Identities are worked out at the door. */\nexport const a = 1;' },
    'libs/sessions/src/a.ts#door: the comment at line 1 has an old word',
  ],
  [
    'a file that is too long',
    { 'libs/sessions/src/long.ts': '\n'.repeat(401) },
    'libs/sessions/src/long.ts: 402 lines, at most 400',
  ],
  [
    'a comment that is too wide',
    { 'libs/sessions/src/a.ts': `/** ${'wide '.repeat(30)}*/` },
    'a.ts: line 1 is a comment of 156 columns, at most 120',
  ],
  [
    'a test that is too long',
    { 'libs/sessions/src/long.spec.ts': '\n'.repeat(701) },
    'libs/sessions/src/long.spec.ts: 702 lines, at most 700',
  ],
  [
    'an exception that is no longer needed',
    {
      'libs/sessions/src/short.ts': '',
      'tools/check/baseline.json': '{"file-length": ["libs/sessions/src/short.ts"]}',
    },
    'libs/sessions/src/short.ts: no longer needs its exception from file-length in tools/check/baseline.json',
  ],
  [
    'a list of exceptions from a rule that is not there',
    { 'tools/check/baseline.json': '{"length": []}' },
    'tools/check/baseline.json: no rule is named length',
  ],
  [
    'a function that is too long',
    { 'libs/sessions/src/a.ts': `export function long() {${'\n'.repeat(70)}}` },
    'a.ts#long: 71 lines, at most 70',
  ],
  [
    'a class that is given too much',
    { 'libs/sessions/src/a.ts': 'export class A { constructor(a, b, c, d, e, f, g, h) {} }' },
    'a.ts#A: 8 parameters, at most 7',
  ],
  [
    'a cast past the type checker',
    { 'libs/sessions/src/a.ts': 'export const a = 1 as unknown as string;' },
    'a.ts x1: casts with `as unknown as`',
  ],
  [
    'a pure file that imports values of the platform',
    { 'libs/sessions/src/a.decide.ts': "import { Decisions, type Act } from '@aos/platform';" },
    'a.decide.ts#Decisions: a pure file imports types only from the platform',
  ],
  [
    'a platform that imports an adapter',
    { 'libs/platform/src/a.ts': "import { b } from '@aos/adapters/sqlite';" },
    'a.ts: the platform imports @aos/adapters/sqlite',
  ],
  [
    'a value imported from the types of the contract',
    { 'libs/sessions/src/a.ts': "import { type Schema } from '@aos/contract';" },
    'libs/sessions/src/a.ts: imports @aos/contract without `import type`',
  ],
  [
    'a contract that imports more than the kernel',
    { 'libs/contract/src/a.ts': "import type { Acts } from '@aos/platform';" },
    'a.ts: the contract imports @aos/platform',
  ],
  [
    'a client that imports the workspace',
    { 'libs/client/src/a.ts': "import type { Json } from '@aos/kernel';" },
    'libs/client/src/a.ts: the client is packed without @aos/kernel',
  ],
  [
    'a pure file that reads the clock',
    { 'libs/sessions/src/a.decide.ts': 'export const at = Date.now();' },
    'a.decide.ts: reads the clock',
  ],
  [
    'a pure file that draws random numbers',
    { 'libs/sessions/src/a.state.ts': 'export const n = Math.random();' },
    'a.state.ts: draws random numbers',
  ],
  [
    'a pure file that reads the process',
    { 'libs/sessions/src/a.limits.ts': 'export const n = process.env;' },
    'a.limits.ts: reads the process',
  ],
  [
    'a pure file that does I/O',
    { 'libs/sessions/src/a.projection.ts': "import { readFileSync } from 'node:fs';" },
    'a.projection.ts: does I/O',
  ],
  [
    'a pure file that knows Nest',
    { 'libs/sessions/src/a.events.ts': "import { Injectable } from '@nestjs/common';" },
    'a.events.ts: knows Nest',
  ],
  [
    'a pure file that imports one that is not',
    { 'libs/sessions/src/a.decide.ts': "import { part } from './part0/part.js';" },
    'a.decide.ts: a pure file imports ./part0/part.js',
  ],
  [
    'an import that leaves its library',
    { 'libs/sessions/src/a.ts': "import { b } from '../../streams/src/b.js';" },
    'a.ts: leaves its library by ../../streams/src/b.js',
  ],
  [
    'test code in the product',
    { 'libs/sessions/src/a.ts': "import { given } from '@aos/kernel/testing';" },
    'a.ts: only tests import @aos/kernel/testing',
  ],
  [
    'a kernel that imports anything of ours',
    { 'libs/kernel/src/a.ts': "import { b } from '@aos/platform';" },
    'a.ts: the kernel imports @aos/platform',
  ],
  [
    'an adapter that imports a context',
    { 'libs/adapters/sqlite/src/a.ts': "import { b } from '@aos/sessions';" },
    'a.ts: an adapter imports @aos/sessions',
  ],
  [
    "a library that imports the event store's twin",
    { 'libs/adapters/eventstoredb/src/a.ts': "import { ProtocolServer } from '@aos/eventstore-twin';" },
    'a.ts: only its program imports @aos/eventstore-twin',
  ],
  [
    'two files that import each other, a type too',
    {
      'libs/platform/src/a.ts': "import type { B } from './b.js';",
      'libs/platform/src/b.ts': "import { A } from './a.js';",
    },
    'libs/platform/src/a.ts: imports in a circle with libs/platform/src/b.ts',
  ],
  [
    'folders that import each other through different files',
    {
      'libs/sessions/src/turns/a.ts': "import { b } from '../session/b.js';",
      'libs/sessions/src/turns/d.ts': '',
      'libs/sessions/src/session/b.ts': "import { c } from '../reading/c.js';",
      'libs/sessions/src/reading/c.ts': "export { d } from '../turns/d.js';",
    },
    'libs/sessions/src/reading: imports in a circle with libs/sessions/src/session, libs/sessions/src/turns',
  ],
  [
    'a file that is alone in its folder',
    { 'libs/sessions/src/turns/a.ts': '', 'libs/sessions/src/turns/a.spec.ts': '' },
    'libs/sessions/src/turns/a.ts: is alone in its folder',
  ],
  [
    'a suffix that is not in the list',
    { 'libs/sessions/src/turns/a.resource.ts': '' },
    'a.resource.ts: .resource is no suffix',
  ],
  [
    'rows that lie apart from their stream',
    { 'libs/sessions/src/turns/a.projection.ts': '' },
    "a.projection.ts: .projection lies in a stream's folder",
  ],
  [
    'routes that lie with a stream',
    { 'libs/sessions/src/turn/turn.events.ts': '', 'libs/sessions/src/turn/turn.controller.ts': '' },
    'turn.controller.ts: .controller lies in a feature, not with a stream',
  ],
  [
    'a file in the root of a context',
    { 'libs/sessions/src/a.ts': '' },
    'libs/sessions/src/a.ts: lies in a folder: the root of a context holds modules, deciders, index and published',
  ],
  [
    'a platform that imports a context',
    { 'libs/platform/src/a.ts': "import { b } from '@aos/sessions';" },
    'a.ts: the platform imports @aos/sessions',
  ],
  [
    'a context that imports an adapter',
    { 'libs/sessions/src/a.ts': "import { b } from '@aos/adapters/sqlite';" },
    'a.ts: a context imports @aos/adapters/sqlite',
  ],
  [
    'a context that imports past published.ts',
    { 'libs/sessions/src/a.ts': "import { b } from '@aos/streams';" },
    'a.ts: imports @aos/streams past its published.ts',
  ],
  [
    'a document that names a missing path',
    { 'docs/A.md': 'See `libs/sessions/src/gone.ts`.' },
    'docs/A.md: names libs/sessions/src/gone.ts, which is not there',
  ],
  [
    'a document that links to a missing file',
    { 'docs/A.md': 'See [that](guide/gone.md).' },
    'docs/A.md: links to guide/gone.md, which is not there',
  ],
  [
    'a document that links to a missing heading',
    { 'docs/A.md': 'See [that](B.md#what-is-there).', 'docs/B.md': '# What is here\n' },
    'docs/A.md: links to B.md#what-is-there, which is not there',
  ],
  [
    'a made page of the guide that says something else',
    guide,
    'docs/guide/errors.md: is not what it is made from: node tools/run.mjs tools/guide-tables.mjs',
  ],
  [
    'an error code without a text in the guide',
    { ...guide, 'tools/guide/errors.yaml': '{}' },
    'tools/guide/errors.yaml: gone has no text',
  ],
  [
    'a page of the guide that its index leaves out',
    { ...guide, 'docs/guide/more.md': '' },
    'docs/guide/README.md: does not link to docs/guide/more.md',
  ],
  [
    'operations that the guide does not name',
    { ...guide, 'docs/guide/README.md': '' },
    'docs/guide: names the operations `parts` nowhere',
  ],
  [
    'a package that is imported and not declared',
    { 'package.json': '{}', 'libs/sessions/src/a.ts': "import ajv from 'ajv';" },
    'a.ts: imports ajv, which package.json does not declare',
  ],
  [
    'a package that is declared and not used',
    { 'package.json': '{"dependencies": {"ajv": "8.0.0"}}' },
    'package.json#ajv: is declared and not used',
  ],
  [
    'production code that imports a development dependency',
    {
      'package.json': '{"devDependencies": {"jest": "30.0.0"}}',
      'libs/sessions/src/a.ts': "import { run } from 'jest';",
    },
    'a.ts: imports jest, a development dependency',
  ],
  [
    'a citation of a rule that is not there',
    { ...law, 'libs/sessions/src/a.ts': '/** Refuses (rules T1,\n * T2). */' },
    'a.ts: line 1 cites rule T2, which is nowhere',
  ],
  [
    'a citation of an invariant that is not there',
    { ...law, 'libs/sessions/src/a.ts': '/** Holds by invariants 1 and 7. */' },
    'a.ts: line 1 cites invariant 7, which is nowhere',
  ],
  [
    'a citation of a control that is not there',
    { ...law, 'libs/sessions/src/a.ts': '/** See control S4. */' },
    'a.ts: line 1 cites control S4, which is nowhere',
  ],
  ['a citation of an ADR that is not there', { 'docs/A.md': 'See ADR 12.' }, 'docs/A.md: line 1 cites ADR 12'],
  [
    'a citation of a range',
    { ...law, 'libs/sessions/src/a.ts': '/** Rules T1 to T3. */' },
    'a.ts: cites a range; name each',
  ],
  [
    'a rule that stands twice',
    { 'docs/spec/rules.md': '| T1 | One. |\n| T1 | Two. |\n' },
    'rule T1: stands in more than one place',
  ],
  ['a law that is hardly cited', law, 'citations: only 0 seen'],
  ['a rule that no test names', law, 'rule T1: is named by no test'],
  [
    'a control that only its namesake among the rules names',
    { ...law, 'libs/sessions/src/a.spec.ts': "it('S3: holds', () => {});" },
    'control S3: is named by no test',
  ],
  [
    'a controller that decides by itself',
    {
      'libs/sessions/src/turns/turns.controller.ts':
        'export class TurnsController { constructor(private readonly bus: CommandBus, readonly decisions: Decisions) {} }',
    },
    'turns.controller.ts#Decisions: a controller is given buses, queries and openers only',
  ],
  [
    'a read over a bus',
    { 'libs/sessions/src/turns/turns.queries.ts': "import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';" },
    'turns.queries.ts: reads over the query bus',
  ],
  [
    'a decide function that no decider lists',
    {
      'libs/sessions/src/session.decider.ts': "import { start } from './turns/start.decide.js';",
      'libs/sessions/src/turns/start.decide.ts':
        'export function start(): SessionEvent[] { return []; }\nexport function stop(): readonly SessionEvent[] { return []; }',
    },
    'start.decide.ts#stop: is in no decider',
  ],
  [
    'a decide function that knows a decider',
    {
      'libs/sessions/src/session.decider.ts': '',
      'libs/sessions/src/turns/start.decide.ts': "import { sessionDecider } from '../session.decider.js';",
    },
    'start.decide.ts: a pure file imports the decider ../session.decider.js',
  ],
  [
    'an event of a feature that is no tag',
    {
      ...guide,
      'libs/sessions/src/turn/turn.events.ts':
        "export const turnEvents = { TurnEnded: event(1, {}, { since: 'turning' }), TurnBegun: event(1, {}, { since: 'parts' }) };",
    },
    'turn.events.ts#turning: is a feature that is no tag of an operation',
  ],
  [
    'a feature that is asked for and is no tag',
    { ...guide, 'libs/sessions/src/turns/turns.handlers.ts': "this.writes.requireFeature('turning');" },
    'turns.handlers.ts#turning: is a feature that is no tag of an operation',
  ],
  [
    'a stored shape that is an interface',
    { 'libs/sessions/src/turn/turn.events.ts': 'export interface TurnRecord { id: string }' },
    'turn.events.ts#TurnRecord: is an interface where a type belongs',
  ],
  [
    'a changed contract',
    { '../shared/spec/openapi.yaml': 'a: 1', 'contract/openapi.yaml': 'a: 2' },
    'contract/openapi.yaml: /a changed',
  ],
  [
    'an operation that is gone',
    { '../shared/spec/openapi.yaml': 'paths: {/v1/a: {get: {}}}', 'contract/openapi.yaml': 'paths: {}' },
    '/paths/~1v1~1a is gone',
  ],
  [
    'an enum that lost a value',
    { '../shared/spec/openapi.yaml': 'enum: [a, b]', 'contract/openapi.yaml': 'enum: [a, c]' },
    '/enum/1 is gone or changed',
  ],
  [
    'a member that became required',
    { '../shared/spec/openapi.yaml': 'required: [a]', 'contract/openapi.yaml': 'required: [a, b]' },
    '/required changed',
  ],
  [
    'a schema that takes less',
    { '../shared/spec/openapi.yaml': 'a: {type: string}', 'contract/openapi.yaml': 'a: {type: string, maxLength: 3}' },
    '/a/maxLength narrows what was given',
  ],
  [
    'a new parameter that is required',
    {
      '../shared/spec/openapi.yaml': 'parameters: []',
      'contract/openapi.yaml': 'parameters: [{name: q, in: query, required: true}]',
    },
    '/parameters: q is new and required',
  ],
  [
    'a class with @Injectable that production makes by new, of its own library',
    {
      'libs/sessions/src/turns/a.ts': "import { Injectable } from '@nestjs/common';\n@Injectable()\nexport class A {}",
      'libs/sessions/src/turns/b.ts': "import { A } from './a.js';\nexport const b = new A();",
    },
    'libs/sessions/src/turns/a.ts#A: is @Injectable and made by new in libs/sessions/src/turns/b.ts',
  ],
  [
    'a class with @Injectable that production makes by new, of another library',
    {
      'libs/platform/src/commands/a.ts':
        "import { Injectable } from '@nestjs/common';\n@Injectable()\nexport class A {}",
      'libs/composition/src/b.ts': "import { A as Other } from '@aos/platform';\nexport const b = new Other();",
    },
    'libs/platform/src/commands/a.ts#A: is @Injectable and made by new in libs/composition/src/b.ts',
  ],
  [
    'a class that Nest builds and that logs through Log',
    {
      'libs/sessions/src/turns/a.ts':
        "import { Injectable } from '@nestjs/common';\n@Injectable()\nexport class A { constructor(private readonly log: Log) {} }",
    },
    "libs/sessions/src/turns/a.ts#A: Nest builds it: it logs through Nest's Logger, not through Log",
  ],
];

describe('the checker', () => {
  const found = complaintsAbout(faults.map(([, tree]) => ({ ...sound, ...tree })));

  test.each(faults.map(([what, , complaint], n) => [what, complaint, n] as const))(
    'finds %s',
    (_what, complaint, n) => {
      expect(found[n]).toEqual(expect.arrayContaining([expect.stringContaining(complaint)]));
    },
  );

  test('says nothing of a sound tree, and lets tests and published files through', () => {
    const tests = {
      'libs/sessions/src/a.spec.ts': "import { given } from '@aos/kernel/testing';\nexport const rings = 0;",
      'libs/sessions/src/turns/b.ts':
        "import { c } from '@aos/streams/published';\nexport const sent = { place: 'ring:session-1', word: 'the door is closing' };",
      'libs/sessions/src/turns/c.decide.ts':
        "import type { Act } from '@aos/platform';\nimport { type Page } from '@aos/platform';",
      'tests/fleet/a.ts': "import { b } from '../harness/index.js';",
    };
    expect(complaintsAbout([sound, { ...sound, ...tests }])).toEqual([[], []]);
  });

  test('lets the files in the root of a library bring folders together, and a stream have one file', () => {
    const tree = {
      'libs/sessions/src/sessions.module.ts': "import { a } from './turns/a.js';",
      'libs/sessions/src/turns/a.ts': "import { SessionsModule } from '../sessions.module.js';",
      'libs/sessions/src/turns/b.ts': '',
      'libs/sessions/src/note/note.state.ts': 'export const noteKind: StreamKind<Note, NoteEvent> = {};',
    };
    expect(complaintsAbout([tree])).toEqual([
      ['libs/sessions/src/sessions.module.ts: imports in a circle with libs/sessions/src/turns/a.ts'],
    ]);
  });

  test('lets the contract grow: new operations, members, values and words', () => {
    const given =
      'paths: {/v1/a: {get: {description: old, parameters: []}}}\na: {required: [b], properties: {b: {enum: [x]}}}';
    const own =
      'paths: {/v1/a: {get: {description: new, parameters: [{name: q, in: query}]}}, /v1/b: {get: {}}}\na: {required: [b], properties: {b: {enum: [w, x]}, c: {type: string, maxLength: 3}}}';
    expect(complaintsAbout([{ ...sound, '../shared/spec/openapi.yaml': given, 'contract/openapi.yaml': own }])).toEqual(
      [[]],
    );
  });

  test('takes exceptions off the list that nothing needs, when asked to', () => {
    const root = written({
      ...sound,
      'libs/sessions/src/turns/turn.events.ts': 'export interface Turn { id: string }',
      'tools/check/baseline.json': JSON.stringify({
        casts: ['libs/kernel/src/part.ts x1'],
        'stored-shapes': ['libs/sessions/src/turns/turn.events.ts#Gone', 'libs/sessions/src/turns/turn.events.ts#Turn'],
      }),
    });
    spawnSync(process.execPath, [checker, root, '--shrink'], { encoding: 'utf8' });
    expect(JSON.parse(readFileSync(join(root, 'tools/check/baseline.json'), 'utf8'))).toEqual({
      'stored-shapes': ['libs/sessions/src/turns/turn.events.ts#Turn'],
    });
  });

  test('lets documents link to files and headings that are there, and to elsewhere', () => {
    const tree = {
      ...sound,
      'docs/A.md':
        '[a](#one-two), [b](B.md), [c](../docs/B.md#its-rules), [d](https://a.b/c), `[e](f)`\n```sh\n[g](h)\n```\n## One, two\n',
      'docs/B.md': "# It's `rules`\n",
    };
    expect(complaintsAbout([tree])).toEqual([[]]);
  });

  test('fails when it sees too few files', () => {
    const { status, stderr } = spawnSync(process.execPath, [checker, written(sound)], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 1, stderr: 'only 1 files seen\n' });
  });
});

describe('the linter', () => {
  test('finds a library that imports against the direction, and nothing in one that does not', () => {
    const seeded =
      "import { loadSettings } from '@aos/platform';\nexport const seeded = loadSettings;\nexport const READ_MAX = 1;\nexport const said = (error: unknown) => (error instanceof Error ? error.message : String(error));\n";
    const { stdout, stderr } = spawnSync(process.execPath, [linter, 'libs/kernel/src/index.ts'], {
      input: seeded,
      encoding: 'utf8',
      env: { ...process.env, NX_DAEMON: 'false' },
    });
    expect({ stdout, stderr }).toMatchObject({ stdout: expect.stringContaining('@nx/enforce-module-boundaries: 1\n') });
    expect(stdout).toContain('@typescript-eslint/naming-convention: 1\n');
    expect(stdout).toContain('no-restricted-syntax: 1\n');
    expect(stdout).toContain('clean: 0\n');
  });
});
