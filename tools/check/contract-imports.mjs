// The contract's types leave nothing behind in the emitted JavaScript: they are imported with `import type` only.
import ts from 'typescript';

const library = '@aos/contract';

export const name = 'contract-imports';

export function check({ files }) {
  return files
    .filter((file) => file.imports.filter((module) => module === library).length > typeImports(file))
    .map(({ path }) => ({ where: path, what: `imports ${library} without \`import type\`` }));
}

function typeImports({ tree }) {
  return tree.statements.filter(
    (statement) =>
      (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) &&
      statement.moduleSpecifier?.text === library &&
      (statement.isTypeOnly || statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword),
  ).length;
}
