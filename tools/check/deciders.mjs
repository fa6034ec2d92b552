// All that can happen to a stream is listed in its decider. What gives events and serves other rules only is no entry.
import ts from 'typescript';

const decideFile = /\.decide\.ts$/;
const deciderFile = /\.decider\.ts$/;
const events = /^(?:readonly )?\w*Event\[\]$/;

export const name = 'deciders';

export function check({ files }) {
  const production = files.filter(({ isTest }) => !isTest);
  const used = new Set(
    production.filter(({ path }) => deciderFile.test(path) || decideFile.test(path)).flatMap(imported),
  );
  return production.flatMap((file) => {
    const faults = file.isPure && !deciderFile.test(file.path) ? knownDeciders(file) : [];
    if (!decideFile.test(file.path)) return faults;
    const unlisted = decideFunctions(file).filter((each) => !used.has(`${file.path}#${each}`));
    return [...faults, ...unlisted.map((each) => ({ where: `${file.path}#${each}`, what: 'is in no decider' }))];
  });
}

/** Names that a file imports of its own library, as `path#name`. */
function imported(file) {
  return file.tree.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) || !statement.moduleSpecifier.text.startsWith('.')) return [];
    const bindings = statement.importClause?.namedBindings;
    if (!bindings || !ts.isNamedImports(bindings)) return [];
    const target = file.target(statement.moduleSpecifier.text);
    return bindings.elements.map(({ name: own, propertyName }) => `${target}#${(propertyName ?? own).text}`);
  });
}

function decideFunctions(file) {
  return file.tree.statements
    .filter(
      (statement) =>
        ts.isFunctionDeclaration(statement) &&
        statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) &&
        events.test(statement.type?.getText(file.tree) ?? ''),
    )
    .map((statement) => statement.name?.text ?? 'default');
}

function knownDeciders(file) {
  return file.imports
    .filter((module) => module.startsWith('.') && deciderFile.test(file.target(module)))
    .map((module) => ({ where: file.path, what: `a pure file imports the decider ${module}` }));
}
