// Every rule, invariant and control is named by a comment or title of the test that proves it, or its row names the
// long run or the test.
import ts from 'typescript';
import { citationsIn, controlsOf, readLaw } from './law.mjs';

const bare = /(?<![\w.])(?:[A-Z]{1,4}\d+|V[12]\.\d+)(?![\w.]*\w)/g;
const titled = /^(?:describe|it|test)\b/;

export const name = 'proved';

export function check(workspace) {
  const law = readLaw(workspace);
  const named = namedInTests(workspace);
  return ['rule', 'invariant', 'control'].flatMap((kind) => {
    const proofs = proofsInRows(workspace, kind);
    return law[kind]
      .filter((id) => !named.has(`${kind} ${id}`) && !proofs.has(id))
      .map((id) => ({ where: `${kind} ${id}`, what: 'is named by no test' }));
  });
}

/**
 * Ids that comments and titles of tests name: "rule T26", "invariant 28", "control S1", or a rule alone as in "T26:
 * ...".
 */
function namedInTests({ files, glob, read }) {
  const named = new Set();
  const tests = [
    ...files.filter(({ isTest }) => isTest),
    ...glob('tools/*.spec.ts').map((path) => {
      const text = read(path);
      return { text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
    }),
  ];
  for (const file of tests) {
    for (const text of [...commentsOf(file.text), ...titlesOf(file)]) {
      const citations = citationsIn(text);
      for (const { kind, id } of citations) named.add(`${kind} ${id}`);
      const other = new Set(citations.filter(({ kind }) => kind === 'control').map(({ id }) => id));
      for (const [id] of text.matchAll(bare)) if (!other.has(id)) named.add(`rule ${id}`);
    }
  }
  return named;
}

function commentsOf(text) {
  return [...text.matchAll(/\/\*\*?[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm)].map(([comment]) => comment);
}

/** First arguments of describe, it and test, also of their `each`. */
function titlesOf({ tree }) {
  const titles = [];
  const visit = (node) => {
    if (ts.isCallExpression(node) && titled.test(node.expression.getText(tree))) {
      const [title] = node.arguments;
      if (title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) titles.push(title.getText(tree));
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return titles;
}

/** Ids whose row names what proves them: an invariant its long run, a control its test. */
function proofsInRows({ has, read }, kind) {
  const [page, row, proof] =
    kind === 'invariant'
      ? ['docs/spec/invariants.md', /^\| (\d+) \|.*$/gm, /\bsoak\b|\bsimulation\b/]
      : ['docs/SECURITY.md', /^\| (S\d+[^|]*)\|.*$/gm, /`(?:tests|libs|apps|tools|docker)\//];
  if (kind === 'rule' || !has(page)) return new Set();
  const rows = [...read(page).matchAll(row)].filter(([text]) => proof.test(text));
  return new Set(rows.flatMap(([, cell]) => (kind === 'invariant' ? [cell] : controlsOf(cell))));
}
