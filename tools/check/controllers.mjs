// Controllers of contexts only take apart and put together: what they are given sends commands, reads, or opens streams and sockets.
import ts from 'typescript';
import { contexts } from './imports.mjs';
import { walk } from './workspace.mjs';

const given = /^CommandBus$|Queries$|Streams$|^Sockets$|^WorkerHub$/;
/** Reads over a bus are the business of another rule. */
const elsewhere = /^QueryBus$/;

export const name = 'controllers';

export function check({ files }) {
  const faults = [];
  for (const file of files) {
    const [layer, library] = file.path.split('/');
    if (layer !== 'libs' || !contexts.includes(library) || !file.path.endsWith('.controller.ts')) continue;
    walk(file.tree, (node) => {
      if (!ts.isConstructorDeclaration(node)) return;
      for (const { type } of node.parameters) {
        const injected = type?.getText(file.tree) ?? 'anything';
        if (given.test(injected) || elsewhere.test(injected)) continue;
        faults.push({
          where: `${file.path}#${injected}`,
          what: 'a controller is given buses, queries and openers only',
        });
      }
    });
  }
  return faults;
}
