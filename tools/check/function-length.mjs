// Functions that grew too long to be read in one go.
import ts from 'typescript';
import { walk } from './workspace.mjs';

const linesMax = 70;

export const name = 'function-length';

export function check({ files }) {
  const faults = [];
  for (const file of files) {
    if (file.isTest || file.lines.length <= linesMax) continue;
    walk(file.tree, (node) => {
      if (!ts.isFunctionLike(node) || !node.body) return;
      const lines = file.tree.getLineAndCharacterOfPosition(node.end).line + 2 - file.lineOf(node);
      if (lines <= linesMax) return;
      faults.push({ where: `${file.path}#${nameOf(node)}`, what: `${lines} lines, at most ${linesMax}` });
    });
  }
  return faults;
}

function nameOf(node) {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  const named = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
  return named?.getText() ?? 'anonymous';
}
