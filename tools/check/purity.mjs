// Pure files: what they decide depends on what they are given, and on nothing else.
import ts from 'typescript';
import { isPurePath } from './workspace.mjs';

const impure = [
  [/\bDate\.now\(|new Date\(\)/, 'reads the clock'],
  [/\bMath\.random\(|\brandomUUID\(|\brandomBytes\(/, 'draws random numbers'],
  [/\bprocess\./, 'reads the process'],
  [/from 'node:(?!crypto)/, 'does I/O'],
  [/from '@nestjs\//, 'knows Nest'],
];
const openToPure = ['@aos/kernel', '@aos/contract', 'node:crypto'];

export const name = 'purity';

export function check({ files }) {
  return files.filter(({ isPure }) => isPure).flatMap((file) => [...impurities(file), ...imports(file)]);
}

function impurities({ path, text }) {
  return impure.filter(([pattern]) => pattern.test(text)).map(([, what]) => ({ where: path, what }));
}

function imports(file) {
  return file.tree.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const module = statement.moduleSpecifier?.text;
    if (module === undefined || isOpen(file, module)) return [];
    if (module !== '@aos/platform') return [{ where: file.path, what: `a pure file imports ${module}` }];
    return valuesOf(statement).map((value) => ({
      where: `${file.path}#${value}`,
      what: 'a pure file imports types only from the platform',
    }));
  });
}

function isOpen(file, module) {
  if (module.startsWith('.')) return isPurePath(file.target(module));
  return openToPure.includes(module) || module.endsWith('/published');
}

/** Names that a statement imports as values. */
function valuesOf(statement) {
  const clause = statement.importClause;
  if (clause?.isTypeOnly || clause?.phaseModifier === ts.SyntaxKind.TypeKeyword) return [];
  const bindings = clause?.namedBindings;
  if (!bindings || !ts.isNamedImports(bindings)) return ['*'];
  return bindings.elements.filter(({ isTypeOnly }) => !isTypeOnly).map(({ name: { text } }) => text);
}
