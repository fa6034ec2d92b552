// Imports among files, and among the folders of a library: the graphs whose cycles are counted.
import { importsOf, resolveImport } from './sources.mjs';

/** Takes a checkout. Gives the imports among production files of one library: path to set of paths. */
export function fileImports({ production, ...checkout }) {
  const known = new Set(production.map(({ path }) => path));
  return new Map(
    production.map(({ path }) => {
      const targets = importsOf(checkout.tree(path)).map((name) => resolveImport(checkout, path, name));
      return [path, new Set(targets.filter((target) => target !== path && known.has(target)))];
    }),
  );
}

/** Takes imports among files. Gives those among folders of one library; files in a library's root are left out. */
export function folderImports(files) {
  const folders = new Map();
  for (const [path, targets] of files) {
    const from = folderOf(path);
    if (from === null) continue;
    if (!folders.has(from)) folders.set(from, new Set());
    for (const target of targets) {
      const to = folderOf(target);
      if (to !== null && to !== from && libraryOf(to) === libraryOf(from)) folders.get(from).add(to);
    }
  }
  return folders;
}

const libraryOf = (folder) => folder.slice(0, folder.lastIndexOf('/'));

/** The folder below a library's root, whatever lies deeper in it; null for a file of the root. */
const folderOf = (path) => /^.*?\/src\/[^/]+(?=\/)/.exec(path)?.[0] ?? null;

/** Pairs of nodes that import each other. */
export function mutualPairs(graph) {
  return [...graph].flatMap(([node, targets]) =>
    [...targets].filter((target) => node < target && graph.get(target)?.has(node)).map((target) => [node, target]),
  );
}
