import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** Gives what an expression of the measures' functions, or of those they share with the checks, comes to, as JSON. */
function evaluated<T>(modules: string, expression: string): T {
  const imports = modules
    .split(' ')
    .map((path) => ({ name: basename(path), file: join(__dirname, path.includes('/') ? '' : 'house', `${path}.mjs`) }))
    .map(({ name, file }) => `import * as ${name} from ${JSON.stringify(file)};`)
    .join('\n');
  const script = `${imports}\nconsole.log(JSON.stringify(await (${expression})))`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as T;
}

const files = (tree: Record<string, string>): { path: string; text: string }[] =>
  Object.entries(tree).map(([path, text]) => ({ path, text }));
const checkout = (tree: Record<string, string>): string =>
  `sources.checkoutOf({ code: ${JSON.stringify(files(tree))} })`;

describe('measures of classes', () => {
  const tree = {
    'libs/a/src/things.controller.ts': `
      class ThingsController { constructor(private readonly commands: CommandBus, private readonly writer: Writer) {}
        change() { return this.commands.execute(new ChangeThing()); } }`,
    'libs/a/src/things.handlers.ts': `
      class Writer { constructor(private readonly decisions: Decisions) {} write() { return this.decisions.run(kind); } }
      class ChangeThing extends Command<void> {}
      class ChangeNothing extends ChangeThing {}
      class FindThing extends Query<string> {}
      class CommandError extends Error {}
      class Wide { constructor(a: A, b: B, c: C, d: D, e: E, f: F, g: G, h: H) {} }
      class Seven { constructor(a: A, b: B, c: C, d: D, e: E, f: F, g: G) {} }`,
    'libs/a/src/sending.ts': `
      class Sending { constructor(private readonly gateway: CommandGateway, private readonly timers: Timers) {}
        send(): Promise<JsonObject> { this.timers.register('no command'); return this.gateway.send({} as unknown as Sent); } }
      class Registering { constructor(private readonly handlers: CommandHandlers) { handlers.register('things.change', run); } }`,
    'libs/a/src/things.spec.ts': `const one = {} as unknown as Thing; class T extends Command<void> {}`,
  };
  let found: Record<string, unknown>;
  beforeAll(() => {
    found = evaluated(
      'sources classes',
      `(() => { const checkout = ${checkout(tree)}; const all = classes.classesOf(checkout); return {
        wide: classes.wideConstructors(all).map(({ name, injected }) => name + injected.length),
        messages: classes.messageClasses(all).map(({ name }) => name), names: classes.registeredNames(all),
        ways: classes.waysToSend(all), casts: classes.unknownCasts(checkout), promises: classes.opaquePromises(checkout) }; })()`,
    );
  });

  it('a constructor of eight parameters is wide, one of seven is not', () => {
    expect(found.wide).toEqual(['Wide8']);
  });

  it('messages extend a command or a query, also by two steps', () => {
    expect(found.messages).toEqual(['ChangeThing', 'ChangeNothing', 'FindThing']);
  });

  it('names of commands are counted where a call registers them', () => {
    expect(found.names).toEqual(["'things.change'"]);
  });

  it('each way of sending a command is told with its senders', () => {
    expect(found.ways).toEqual([
      ['CommandBus.execute', ['ThingsController']],
      ['CommandGateway.send', ['Sending']],
      ['a method of a writing class, called by a controller', ['ThingsController']],
    ]);
  });

  it('casts and opaque promises are counted in production only', () => {
    expect(found.casts).toEqual(['libs/a/src/sending.ts']);
    expect(found.promises).toEqual(['libs/a/src/sending.ts']);
  });

  it('an engine of name claims is a class with a bounded loop beside NameClaimed, or a function in a folder claims', () => {
    const engines = {
      'libs/a/src/claims.ts': `type E = NameClaimed; class Claims { claim() { for (let n = 0; n < 3; n += 1) try1(); } }
        class NoLoop {}`,
      'libs/a/src/other.ts': 'class Other { run() { for (let n = 0; n < 3; n += 1) try1(); } }',
      'libs/a/src/claims/loop.ts': 'export function claim() { for (let n = 0; n < 3; n += 1) try1(); }',
    };
    const names = evaluated(
      'sources classes',
      `(() => { const checkout = ${checkout(engines)};
        return classes.claimEngines(checkout, classes.classesOf(checkout)).map(({ name }) => name); })()`,
    );
    expect(names).toEqual(['Claims', 'libs/a/src/claims/loop.ts']);
  });
});

describe('measures of folds', () => {
  const kind = (category: string, evolve: string, more = ''): string =>
    `${more}\nexport const kind: StreamKind<S, E> = { category: '${category}', events, ${evolve} };`;
  const tree = {
    'libs/a/src/assigns.state.ts': kind('assigns', 'evolve(state, event) { state.open = true; return state; }'),
    'libs/a/src/nested.state.ts': kind(
      'nested',
      'evolve: (state, { data }) => { const one = state.all.get(data.id); if (one) one.count += 1; return state; }',
    ),
    'libs/a/src/helper.ts': 'export function put(map: M, id: string): void { map.set(id, 1); }',
    'libs/a/src/imported.state.ts': kind(
      'imported',
      'evolve(state, event) { put(state.byId, event.id); return state; }',
      "import { put } from './helper.js';",
    ),
    'libs/a/src/copies.state.ts': kind(
      'copies',
      'evolve',
      `function evolve(state: S, event: E): S {
        const all = new Map(state.all); all.set(event.id, 1);
        const list = [...state.list]; list.push(event);
        const next = { ...state, all, list }; next.open = true;
        return event.last ? state : next;
      }`,
    ),
    'libs/a/src/shared.state.ts': kind(
      'shared',
      'evolve: (state, event) => { const next = { ...state }; next.all.set(event.id, 1); return next; }',
    ),
    'libs/a/src/element.state.ts': kind(
      'element',
      'evolve: (state, event) => { for (const one of [...state.list]) one.seen = true; return { ...state }; }',
    ),
    'libs/a/src/made.ts': 'export function made(parts: P) { return { ...parts, evolve: (_s, e) => ({ record: e }) }; }',
    'libs/a/src/factory.state.ts': `import { made } from './made.js';
      export const kind = made<A, B>({ category: 'factory', events });`,
    'libs/a/src/other.ts': "export const row = { category: 'no kind', events: 3 };",
  };

  it('a fold that writes its state, a part of it, or by an imported function changes it; one that copies does not', () => {
    const kinds = evaluated<{ category: string; isChanging: boolean }[]>(
      'sources folds',
      `folds.foldedKinds(${checkout(tree)})`,
    );
    expect(Object.fromEntries(kinds.map(({ category, isChanging }) => [category, isChanging]))).toEqual({
      assigns: true,
      nested: true,
      imported: true,
      shared: true,
      element: true,
      copies: false,
      factory: false,
    });
  });
});

describe('measures of imports', () => {
  const tree = {
    'libs/a/src/index.ts': "export { one } from './x/one.js';",
    'libs/a/src/x/one.ts': "import type { Two } from './two.js'; import { three } from '../y/three.js';",
    'libs/a/src/x/two.ts': "import { one } from './one.js';",
    'libs/a/src/y/three.ts': "import { two } from '../x/deep/two.js'; import '../index.js';",
    'libs/a/src/x/deep/two.ts': 'export const two = 2;',
    'libs/a/src/z/four.ts': "export const four = () => import('../y/three.js');",
  };

  it('cycles of files and of folders are found; files in the root of a library join no folders', () => {
    const found = evaluated(
      'sources cycles check/graph',
      `(() => { const files = cycles.fileImports(${checkout(tree)}); const folders = cycles.folderImports(files);
        return { files: graph.cyclesOf(files), folders: graph.cyclesOf(folders), pairs: cycles.mutualPairs(folders) }; })()`,
    );
    const [one, two, three] = ['x/one', 'x/two', 'y/three'].map((path) => `libs/a/src/${path}.ts`);
    expect(found).toEqual({
      files: [['libs/a/src/index.ts', one, two, three]],
      folders: [['libs/a/src/x', 'libs/a/src/y']],
      pairs: [['libs/a/src/x', 'libs/a/src/y']],
    });
  });
});

describe('measures of citations', () => {
  const documents = files({
    'docs/spec/rules.md': '| Rule | What holds |\n|---|---|\n| T26 | one |\n| V1.2 | two |\n| SES3 | three |\n',
    'docs/spec/invariants.md': '| 28 | one | T26 |\n| 29 | two | T26 |\n',
    'docs/SECURITY.md': '| S27 secrets | sealed | `x` |\n',
    'docs/adr/0010-values.md': '# Keep states as values\n',
    'docs/ARCHITECTURE.md': '# Architecture\n\n## 3. Writing\n',
  });
  /** Put together here, so that these examples are no citations themselves. */
  const citing = (word: string, ids: string): string => `${word} ${ids}`;
  const lines = (text: string[]): unknown =>
    evaluated(
      'law',
      `law.citingLines([{ path: 'libs/a/src/a.ts', text: ${JSON.stringify(text.join('\n'))} }], law.citable(${JSON.stringify(documents)}))`,
    );

  it('rules, invariants, controls, ADRs and sections resolve to their row or heading', () => {
    const text = [
      citing('rules', 'T26, V1.2 and SES3'),
      citing('invariant', '28'),
      citing('control', 'S27'),
      citing('ADR', '10'),
      citing('docs/ARCHITECTURE.md, section', '3'),
      'the rule of 3',
    ];
    expect(lines(text)).toEqual({ lines: 5, resolved: 5 });
  });

  it('a line with one citation that has no row does not resolve, nor does one that cites something outside', () => {
    const text = [
      citing('rules', 'T26, T27'),
      citing('invariant', '30'),
      citing('decision', 'T26'),
      citing('security', 'S27'),
      citing('the', 'specification'),
    ];
    expect(lines(text)).toEqual({ lines: 5, resolved: 0 });
  });

  it('tests name rules by their ids, invariants by the word', () => {
    const title = `T26, ${citing('invariants', '28, 30')}: it holds`;
    const tests = files({ 'libs/a/src/a.spec.ts': `it('${title}')\n// 29 of them, T261` });
    const named = evaluated(
      'law',
      `law.namedByTests(${JSON.stringify(tests)}, law.citable(${JSON.stringify(documents)}))`,
    );
    expect(named).toEqual({ rules: { named: 1, all: 3, seen: 2 }, invariants: { named: 1, all: 2, seen: 2 } });
  });
});

describe('measures of packages and sizes', () => {
  it('a package is used when something names it; peers of listed packages and types are left out', () => {
    const manifest = {
      scripts: { build: 'node node_modules/builder/cli.js' },
      dependencies: { used: '1', deep: '1', optional: '1', peer: '1', unused: '1' },
      devDependencies: { builder: '1', '@types/used': '1' },
    };
    const lock = {
      packages: {
        'node_modules/used': {
          peerDependencies: { peer: '1', optional: '1' },
          peerDependenciesMeta: { optional: { optional: true } },
        },
      },
    };
    const sources = files({
      'libs/a/src/a.ts': "import 'used'; import('deep/part');",
      'libs/a/src/b.ts': '// unused is named in words only',
    });
    const unused = evaluated(
      'check/packages',
      `packages.unusedPackages(${[manifest, lock, sources].map((one) => JSON.stringify(one)).join()})`,
    );
    expect(unused).toEqual(['optional', 'unused']);
  });

  it('lines, lines over 120 columns, and the middle length', () => {
    const three = JSON.stringify([
      { text: `${'x'.repeat(121)}\n${'x'.repeat(120)}\n` },
      { text: 'one\n' },
      { text: '\n'.repeat(9) },
    ]);
    const found = evaluated(
      'sizes',
      `[sizes.lineCount(${three}), sizes.wideLines(${three}), sizes.medianLines(${three})]`,
    );
    expect(found).toEqual([12, 1, 2]);
  });
});

describe('the report', () => {
  it('one column of the table is written; other rows and the text around it stay', () => {
    const report =
      'Words.\n\n| measure | before | now |\n|---|---|---|\n| loads | 4 | 4 |\n| cycles | 3 | 3 |\n\nMore words.\n';
    const written = evaluated(
      'report',
      `report.withColumn(${JSON.stringify(report)}, 'now', { loads: '2', engines: '1' })`,
    );
    expect(written).toBe(
      'Words.\n\n| measure | before | now |\n|---|---|---|\n| loads | 4 | 2 |\n| cycles | 3 | 3 |\n| engines |  | 1 |\n\nMore words.\n',
    );
  });
});

describe('measures of what runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'walks-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('a file runs when a function of its own is called: loading it, its export getters and functions of loops do not count', () => {
    mkdirSync(join(folder, 'libs'));
    const exported = (names: string): string => `"use strict";
      function _export(target, all) { for (var name in all) Object.defineProperty(target, name, { enumerable: true, get: Object.getOwnPropertyDescriptor(all, name).get }); }
      _export(exports, { ${names} });\n`;
    const put = (name: string, text: string): void => writeFileSync(join(folder, 'libs', `${name}.js`), text);
    put('index', `${exported('get work () { return _work.work; }')}const _work = require('./work.js');`);
    put(
      'work',
      `${exported('get work () {\n return work;\n }')}function work() { return 1; }\nfunction never() { return 2; }`,
    );
    put('loop', `${exported('get loop () { return loop; }')}function loop() { return 3; }`);
    put('loaded', 'exports.value = (function () { return { n: 4 }; })().n;');
    const found = evaluated<{ files: string[]; functions: number }>(
      'coverage',
      `(async () => {
        const { Session } = await import('node:inspector/promises');
        const { createRequire } = await import('node:module');
        const { readFileSync } = await import('node:fs');
        const session = new Session(); session.connect();
        const folder = ${JSON.stringify(folder)};
        const read = (path) => readFileSync(folder + '/' + path, 'utf8');
        const load = createRequire(folder + '/');
        const [index, loop] = [load('./libs/index.js'), load('./libs/loop.js')];
        await session.post('Profiler.enable');
        await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
        const ran = async () => coverage.ranFunctions((await session.post('Profiler.takePreciseCoverage')).result, folder, read);
        await ran();
        loop.loop();
        const idle = new Set((await ran()).keys());
        index.work(); loop.loop();
        const functions = await ran();
        return { files: coverage.filesOf(functions.keys(), idle), functions: functions.size };
      })()`,
    );
    expect(found).toEqual({ files: ['libs/work.ts'], functions: 2 });
  });
});
