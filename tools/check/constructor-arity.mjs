// Classes that are given more than a reader can hold in mind.
import ts from 'typescript';
import { walk } from './workspace.mjs';

export const parametersMax = 7;

export const name = 'constructor-arity';

export function check({ files }) {
  const faults = [];
  for (const file of files) {
    if (file.isTest) continue;
    walk(file.tree, (node) => {
      if (!ts.isConstructorDeclaration(node) || node.parameters.length <= parametersMax) return;
      const where = `${file.path}#${node.parent.name?.text ?? 'anonymous'}`;
      faults.push({ where, what: `${node.parameters.length} parameters, at most ${parametersMax}` });
    });
  }
  return faults;
}
