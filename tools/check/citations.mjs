// What a comment, a title or a document cites stands in exactly one place of this repository.
import { citationsIn, readLaw } from './law.mjs';

const seenMin = 400;
const elsewhere = [
  [/\b[Dd]ecisions? [A-Z]{1,2}\d+/, 'cites a decision; write "rule X1"'],
  [/\b[Ss]ecurity S\d+/, 'cites security; write "control S1"'],
  [/\b[Aa]rchitecture, section/, 'cites a section; write "ARCHITECTURE.md section 1"'],
  [
    /\b(?:[Rr]ules?|[Cc]ontrols?|[Ii]nvariants?) (?:[A-Z]+\d+, )*([A-Z]*\d+) to [A-Z]*\d+\b/,
    'cites a range; name each',
  ],
  [/(?:\/\/|\*) .*\b[Ss]pecification\b/, 'cites a specification; cite its rule'],
];

export const name = 'citations';

export function check(workspace) {
  const law = readLaw(workspace);
  const faults = repeats(law);
  const texts = [
    ...workspace.files.map(({ path, text }) => [path, text]),
    ...workspace
      .glob('{README.md,docs/**/*.md,{apps,libs,tests,tools}/**/*.{mjs,cjs,js},tools/**/*.ts}')
      .filter((path) => !/^tools\/(?:check|house)\b/.test(path) && !path.includes('/dist/'))
      .map((path) => [path, workspace.read(path)]),
  ];
  let seen = 0;
  for (const [path, text] of texts) {
    const citations = citationsIn(text);
    seen += citations.length;
    for (const { kind, id, line } of citations)
      if (!law[kind].includes(id))
        faults.push({ where: path, what: `line ${line} cites ${kind} ${id}, which is nowhere` });
    if (!path.endsWith('.md') || !path.startsWith('docs/')) faults.push(...strays(path, text));
  }
  if (law.rule.length > 0 && seen < seenMin) faults.push({ where: 'citations', what: `only ${seen} seen` });
  return faults;
}

/** Ids that stand in more than one row. */
function repeats(law) {
  return Object.entries(law).flatMap(([kind, ids]) =>
    ids
      .filter((id, at) => ids.indexOf(id) !== at)
      .map((id) => ({ where: `${kind} ${id}`, what: 'stands in more than one place' })),
  );
}

function strays(path, text) {
  return elsewhere.filter(([pattern]) => pattern.test(text)).map(([, what]) => ({ where: path, what }));
}
