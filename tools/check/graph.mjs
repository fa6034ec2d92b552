// Who imports whom, for the checks that look for cycles.

/**
 * Production files by path, with what each imports of its own library. Imports of types count: a reader follows them
 * too.
 */
export function importGraph({ files }) {
  const production = files.filter(({ isTest }) => !isTest);
  const paths = new Set(production.map(({ path }) => path));
  return new Map(
    production.map((file) => [
      file.path,
      file.imports
        .filter((module) => module.startsWith('.'))
        .map((module) => file.target(module))
        .filter((target) => paths.has(target)),
    ]),
  );
}

/** Takes a graph as node to the nodes it leads to; gives its cycles: each set of nodes that all reach one another. */
export function cyclesOf(graph) {
  const order = new Map();
  const lowest = new Map();
  const open = [];
  const cycles = [];
  const visit = (node) => {
    order.set(node, order.size);
    lowest.set(node, order.get(node));
    open.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (open.includes(next)) lowest.set(node, Math.min(lowest.get(node), lowest.get(next)));
    }
    if (lowest.get(node) !== order.get(node)) return;
    const cycle = open.splice(open.indexOf(node));
    if (cycle.length > 1) cycles.push(cycle.sort());
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return cycles;
}
