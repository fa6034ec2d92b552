// What Nest builds is marked so, and nothing else is: a class with `@Injectable` that production makes by `new` says
// what is not true. A class that Nest builds logs through Nest's `Logger`; `Log` is for what is there before Nest.
import ts from 'typescript';
import { walk } from './workspace.mjs';

const ofNest = /^(Injectable|Controller|CommandHandler|Module)$/;

export const name = 'injectables';

export function check({ files }) {
  const production = files.filter(({ isTest }) => !isTest);
  const injectable = new Set();
  const faults = [];
  for (const file of production) {
    walk(file.tree, (node) => {
      if (!ts.isClassDeclaration(node) || !node.name) return;
      const marks = (ts.getDecorators(node) ?? []).map(({ expression }) => decoratorName(expression));
      const where = `${file.path}#${node.name.text}`;
      if (marks.includes('Injectable')) injectable.add(where);
      if (marks.some((mark) => ofNest.test(mark)) && takesLog(node))
        faults.push({ where, what: "Nest builds it: it logs through Nest's Logger, not through Log" });
    });
  }
  for (const file of production) {
    const origins = importedNames(file, injectable);
    walk(file.tree, (node) => {
      if (!ts.isNewExpression(node) || !ts.isIdentifier(node.expression)) return;
      const own = `${file.path}#${node.expression.text}`;
      const where = injectable.has(own) ? own : origins.get(node.expression.text);
      if (where) faults.push({ where, what: `is @Injectable and made by new in ${file.path}` });
    });
  }
  return faults;
}

const decoratorName = (expression) => (ts.isCallExpression(expression) ? expression.expression : expression).getText();

function takesLog(node) {
  const constructor = node.members.find((member) => ts.isConstructorDeclaration(member) && member.body);
  return constructor?.parameters.some(({ type }) => type?.getText() === 'Log') ?? false;
}

/** Names of injectable classes that a file imports: by its own path, or by the library that a package is. */
function importedNames(file, injectable) {
  const origins = new Map();
  for (const statement of file.tree.statements) {
    if (!ts.isImportDeclaration(statement)) continue;
    const bindings = statement.importClause?.namedBindings;
    if (!bindings || !ts.isNamedImports(bindings)) continue;
    const from = statement.moduleSpecifier.text;
    const library = /^@aos\/([^/]+)/.exec(from)?.[1];
    for (const { name: own, propertyName } of bindings.elements) {
      const imported = (propertyName ?? own).text;
      const isMeant = (where) =>
        where.endsWith(`#${imported}`) &&
        (from.startsWith('.') ? where === `${file.target(from)}#${imported}` : where.startsWith(`libs/${library}/`));
      const found = [...injectable].find(isMeant);
      if (found) origins.set(own.text, found);
    }
  }
  return origins;
}
