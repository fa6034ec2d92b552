// What the checks read: the workspace's sources, each read and parsed once.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

/** Written by a tool and compared with what it would write: nobody edits it, so no rule of style holds. */
export const generated = [
  'libs/contract/src/openapi.d.ts',
  'libs/client/src/openapi.d.ts',
  'libs/client/src/operations.ts',
  'libs/client/src/error-codes.ts',
  'apps/svc/src/operations/operations.ts',
];
const pureSuffixes = ['events', 'state', 'limits', 'decide', 'projection', 'wire', 'ids', 'frames', 'signals'];

/** One TypeScript file: its path from the root, text, imports, and what kind of file it is. */
class SourceFile {
  #tree;

  constructor(path, text, paths) {
    this.path = path;
    this.text = text;
    this.paths = paths;
    this.lines = text.split('\n');
    this.isTest = /\.(spec|contract)\.ts$/.test(path) || path.includes('/testing/') || path.startsWith('tests/');
    this.isPure = isPurePath(path);
    /** Names in `from '...'` and `import('...')`. */
    this.imports = [...text.matchAll(/(?:from|import\()\s*'([^']+)'/g)].map((match) => match[1]);
  }

  /** The parsed file, with parents. */
  get tree() {
    this.#tree ??= ts.createSourceFile(this.path, this.text, ts.ScriptTarget.Latest, true);
    return this.#tree;
  }

  /**
   * Takes a relative import's name; gives the path of the file it means, from the root. The console's imports have no
   * suffix: Vite finds the file.
   */
  target(name) {
    const path = normalize(join(dirname(this.path), name.replace(/\.js$/, '.ts')));
    if (/\.\w+$/.test(path)) return path;
    return this.#candidates(path).find((candidate) => this.paths.has(candidate)) ?? path;
  }

  #candidates(path) {
    return [`${path}.ts`, `${path}.tsx`, `${path}/index.ts`];
  }

  lineOf(node) {
    return this.tree.getLineAndCharacterOfPosition(node.getStart(this.tree)).line + 1;
  }
}

export function isPurePath(path) {
  return pureSuffixes.some((suffix) => path.endsWith(`.${suffix}.ts`));
}

/** Takes the root folder; gives its TypeScript files and helpers to read the others. */
export function readWorkspace(root) {
  const paths = globSync('{apps,libs,tests}/**/*.{ts,tsx}', {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name === 'dist',
  })
    .filter((path) => !generated.includes(path))
    .sort();
  const known = new Set(paths);
  const read = (path) => readFileSync(join(root, path), 'utf8');
  return {
    root,
    files: paths.map((path) => new SourceFile(path, read(path), known)),
    read,
    has: (path) => existsSync(join(root, path)),
    glob: (pattern) =>
      globSync(pattern, { cwd: root, exclude: (name) => name === 'node_modules' || name === 'dist' }).sort(),
  };
}

/** Calls `visit` for each node of the tree, from the outside in. */
export function walk(node, visit) {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}
