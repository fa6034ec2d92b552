// The feature of what a release begins to write is a tag of the contract's operations (ADR 42): callers read it in
// `upgrade_pending`, and it says which operations wait.
import ts from 'typescript';
import { parse } from 'yaml';
import { walk } from './workspace.mjs';

const contract = 'contract/openapi.yaml';
const events = /\.events\.ts$/;
const releases = 'libs/kernel/src/releases.ts';
const methods = ['get', 'put', 'post', 'patch', 'delete'];

export const name = 'release-features';

export function check({ files, has, read }) {
  if (!has(contract)) return [];
  const tags = operationTags(parse(read(contract)));
  return files
    .filter(({ isTest }) => !isTest)
    .flatMap((file) =>
      featuresIn(file)
        .filter(({ text }) => !tags.has(text))
        .map(({ text }) => ({ where: `${file.path}#${text}`, what: 'is a feature that is no tag of an operation' })),
    );
}

function operationTags({ paths = {}, webhooks = {} }) {
  const items = [...Object.values(paths), ...Object.values(webhooks)];
  return new Set(items.flatMap((item) => methods.flatMap((method) => item[method]?.tags ?? [])));
}

/** Texts of the file that name a feature. */
function featuresIn(file) {
  const found = [];
  walk(file.tree, (node) => {
    const text = featureOf(file, node);
    if (text) found.push(text);
  });
  return found;
}

function featureOf({ path, tree }, node) {
  if (ts.isPropertyAssignment(node) && ts.isStringLiteral(node.initializer)) {
    const member = node.name.getText(tree);
    const isFeature = (events.test(path) && member === 'since') || (path === releases && member === 'feature');
    return isFeature ? node.initializer : null;
  }
  if (ts.isVariableDeclaration(node) && node.initializer && ts.isStringLiteral(node.initializer))
    return node.name.getText(tree) === 'feature' ? node.initializer : null;
  const isAsked = ts.isCallExpression(node) && /\.requireFeature$/.test(node.expression.getText(tree));
  return isAsked && node.arguments[0] && ts.isStringLiteral(node.arguments[0]) ? node.arguments[0] : null;
}
