// The files of a checkout as the measures see them: which are production, which are tests, and their syntax trees.
import { globSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import ts from 'typescript';
import { generated, walk } from '../check/workspace.mjs';

const codeFiles = '{apps,libs,tests,tools}/**/*.{ts,mjs,cjs,js}';
const configurationFiles = '*.{json,js,mjs,cjs,yaml}';
const documentFiles = '{README.md,docs/**/*.md}';
const notSources = ['node_modules', 'dist'];

const isTest = (path) =>
  /\.(spec|contract|fixture)\.ts$/.test(path) || path.includes('/testing/') || path.startsWith('tests/');
const isProduction = (path) => /^(apps|libs)\/.*\/src\/.*\.ts$/.test(path) && !isTest(path);

/** Takes the folder of a checkout. Gives its sources by path from that folder. */
export function readCheckout(root) {
  const read = (pattern) =>
    globSync(pattern, { cwd: root, exclude: (name) => notSources.includes(name) })
      .filter(
        (path) => !path.startsWith('tools/runtime/') && !path.includes('node_modules/') && !generated.includes(path),
      )
      .sort()
      .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
  const code = read(codeFiles);
  return checkoutOf({ code, documents: read(documentFiles), configuration: read(configurationFiles) });
}

/** Takes lists of `{ path, text }`. Gives the checkout that the measures take. */
export function checkoutOf({ code, documents = [], configuration = [] }) {
  const trees = new Map();
  const texts = new Map(code.map((file) => [file.path, file.text]));
  return {
    code,
    documents,
    configuration,
    production: code.filter(({ path }) => isProduction(path)),
    tests: code.filter(({ path }) => isTest(path) || path.endsWith('.engine.ts')),
    has: (path) => texts.has(path),
    tree(path) {
      if (!trees.has(path))
        trees.set(path, ts.createSourceFile(path, texts.get(path), ts.ScriptTarget.Latest, true, ts.ScriptKind.TS));
      return trees.get(path);
    },
  };
}

/** Paths and packages that a file imports or exports from, types included. */
export function importsOf(tree) {
  const names = [];
  walk(tree, (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) names.push(node.moduleSpecifier?.text);
    if (ts.isCallExpression(node) && isLoading(node.expression)) names.push(literalOf(node.arguments[0]));
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) names.push(node.argument.literal.text);
  });
  return names.filter((name) => name !== undefined);
}

const isLoading = (called) =>
  called.kind === ts.SyntaxKind.ImportKeyword || /^require(\.resolve)?$/.test(called.getText());
const literalOf = (node) => (node && ts.isStringLiteralLike(node) ? node.text : undefined);

/** The file that a relative import of a file names, `.js` meaning `.ts`; null when it is none of the checkout. */
export function resolveImport(checkout, from, name) {
  if (!name.startsWith('.')) return null;
  const path = normalize(join(from, '..', name));
  const candidates = [path.replace(/\.js$/, '.ts'), path, `${path}.ts`, join(path, 'index.ts')];
  return candidates.find((candidate) => checkout.has(candidate)) ?? null;
}
