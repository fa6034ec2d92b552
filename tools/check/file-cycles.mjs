// No two files need each other: what both use has a file of its own.
import { cyclesOf, importGraph } from './graph.mjs';

export const name = 'file-cycles';

export function check(workspace) {
  return cyclesOf(importGraph(workspace)).map(([first, ...others]) => ({
    where: first,
    what: `imports in a circle with ${others.join(', ')}`,
  }));
}
