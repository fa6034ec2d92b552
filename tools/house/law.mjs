// Citations of rules, invariants, controls and ADRs, and the tests that name them.
import { controlsOf } from '../check/law.mjs';

const idPattern = '(?:[A-Z]+\\d+(?:\\.\\d+)*|\\d+)';
const listPattern = `${idPattern}(?:(?:, and |, | and | or | to )${idPattern})*`;
const citationPattern = new RegExp(
  `\\b([Rr]ule|[Dd]ecision|[Ii]nvariant|[Cc]ontrol|[Ss]ecurity|ADR)s? (${listPattern})`,
  'g',
);
/** Words that cite something that is no row or heading of the repository. */
const outside = /\bdecisions? [A-Z]+\d|\bspecification\b|\barchitecture, section\b|\bsecurity S\d/i;
const sectionPattern = /ARCHITECTURE\.md`?,? section (\d+(?:\.\d+)*)/g;

/** Takes a text. Gives its citations as `{ kind, id }`. */
export function citationsIn(text) {
  const listed = [...text.matchAll(citationPattern)].flatMap(([, word, list]) =>
    list
      .match(new RegExp(idPattern, 'g'))
      .filter((id) => isOfKind(word.toLowerCase(), id))
      .map((id) => ({ kind: word.toLowerCase(), id })),
  );
  return [...listed, ...[...text.matchAll(sectionPattern)].map(([, id]) => ({ kind: 'section', id }))];
}

/** "security 5" and "rule 3" are words of a sentence. */
const isOfKind = (kind, id) => /^\d/.test(id) === (kind === 'invariant' || kind === 'adr');

/** Takes documents as `{ path, text }`. Gives the ids that can be cited, by kind. */
export function citable(documents) {
  const rowsOf = (file, id) =>
    documents
      .filter(({ path }) => file.test(path))
      .flatMap(({ text }) => [...text.matchAll(new RegExp(`^\\| *(${id})(?= )`, 'gm'))].map((match) => match[1]));
  const architecture = documents.find(({ path }) => path === 'docs/ARCHITECTURE.md')?.text ?? '';
  return {
    rule: new Set(rowsOf(/^docs\/spec\/rules/, '[A-Z]+\\d+(?:\\.\\d+)*')),
    invariant: new Set(rowsOf(/^docs\/spec\/invariants\.md$/, '\\d+')),
    control: new Set(rowsOf(/^docs\/SECURITY\.md$/, 'S\\d+[^|]*').flatMap(controlsOf)),
    adr: new Set(documents.flatMap(({ path }) => /^docs\/adr\/0*(\d+)-/.exec(path)?.[1] ?? [])),
    section: new Set([...architecture.matchAll(/^#+ (\d+(?:\.\d+)*)[. ]/gm)].map((match) => match[1])),
  };
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
      if (!isOutside && cited.every(({ kind, id }) => known[kind]?.has(id))) resolved += 1;
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
