// Lines that cite rules, invariants, controls, ADRs and sections, and the tests that name them.
import { citationsIn, lawOf } from '../check/law.mjs';

/** Words that cite something that is no row or heading of the repository. */
const outside = /\bdecisions? [A-Z]+\d|\bspecification\b|\barchitecture, section\b|\bsecurity S\d/i;

/** Takes documents as `{ path, text }`. Gives the ids that can be cited, by kind. */
export function citable(documents) {
  const texts = new Map(documents.map(({ path, text }) => [path, text]));
  const records = [...texts.keys()].filter((path) => /^docs\/adr\/\d/.test(path));
  const law = lawOf((path) => texts.get(path) ?? '', records);
  return Object.fromEntries(Object.entries(law).map(([kind, ids]) => [kind, new Set(ids)]));
}

/** Counts the lines that cite, and those of them on which every citation has its row or heading. */
export function citingLines(files, known) {
  let lines = 0;
  let resolved = 0;
  for (const { path, text } of files) {
    if (path.startsWith('docs/spec/')) continue;
    for (const line of text.split('\n')) {
      const cited = citationsIn(line);
      const isOutside = outside.test(line);
      if (cited.length === 0 && !isOutside) continue;
      lines += 1;
      if (!isOutside && cited.every(({ kind, id }) => known[kind].has(id))) resolved += 1;
    }
  }
  return { lines, resolved };
}

/** Takes tests and the ids that can be cited. Gives how many rules and invariants some test names, and all ids seen. */
export function namedByTests(tests, known) {
  const ids = new Set();
  const invariants = new Set();
  for (const { text } of tests) {
    for (const [id] of text.matchAll(/(?<![\w-])[A-Z]+\d+(?:\.\d+)*(?!\w)/g)) ids.add(id);
    for (const { kind, id } of citationsIn(text)) if (kind === 'invariant') invariants.add(id);
  }
  const named = (list, found) => [...list].filter((id) => found.has(id)).length;
  return {
    rules: { named: named(known.rule, ids), all: known.rule.size, seen: ids.size },
    invariants: { named: named(known.invariant, invariants), all: known.invariant.size, seen: invariants.size },
  };
}
