// Folders of a library stand in one order: nouns below, features above. Files in its root bring the folders together,
// and are not counted.
import { dirname } from 'node:path';
import { cyclesOf, importGraph } from './graph.mjs';

export const name = 'folder-cycles';

export function check(workspace) {
  const folders = new Map();
  for (const [path, targets] of importGraph(workspace)) {
    const folder = dirname(path);
    if (folder.endsWith('/src')) continue;
    const reached = folders.get(folder) ?? folders.set(folder, new Set()).get(folder);
    for (const target of targets.map((file) => dirname(file)))
      if (target !== folder && !target.endsWith('/src')) reached.add(target);
  }
  return cyclesOf(folders).map(([first, ...others]) => ({
    where: first,
    what: `imports in a circle with ${others.join(', ')}`,
  }));
}
