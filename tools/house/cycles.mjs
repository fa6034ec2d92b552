// Cycles of imports among files, and among the folders of a library.
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

/** Takes a graph (node to set of nodes). Gives its cycles: the groups of nodes that reach each other. */
export function cycles(graph) {
  const reached = new Map([...graph.keys()].map((node) => [node, reachable(graph, node)]));
  const groups = [];
  const seen = new Set();
  for (const node of graph.keys()) {
    if (seen.has(node) || !reached.get(node).has(node)) continue;
    const group = [...reached.get(node)].filter((other) => reached.get(other)?.has(node)).sort();
    for (const member of group) seen.add(member);
    groups.push(group);
  }
  return groups;
}

/** Pairs of nodes that import each other. */
export function mutualPairs(graph) {
  return [...graph].flatMap(([node, targets]) =>
    [...targets].filter((target) => node < target && graph.get(target)?.has(node)).map((target) => [node, target]),
  );
}

function reachable(graph, start) {
  const found = new Set();
  const open = [...(graph.get(start) ?? [])];
  while (open.length > 0) {
    const node = open.pop();
    if (found.has(node)) continue;
    found.add(node);
    open.push(...(graph.get(node) ?? []));
  }
  return found;
}
