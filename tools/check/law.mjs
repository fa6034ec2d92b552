// The law of the service and how it is cited: rules and invariants in docs/spec, controls in docs/SECURITY.md, ADRs,
// sections of ARCHITECTURE.md.
const ruleRow = /^\| ((?:[A-Z]{1,4}|V[12]\.)\d+) \|/gm;
const invariantRow = /^\| (\d+) \|/gm;
const controlRow = /^\| (S\d+[^|]*)\|/gm;
const numberedHeading = /^## (\d+)\. /gm;

/** A list of ids may break over the lines of a comment. */
const lineBreak = String.raw`\s+(?:\*\s+|//\s+|>\s+)?`;
const listOf = (id) => `${id}(?:(?:,${lineBreak}(?:and )?|${lineBreak}and${lineBreak})${id}(?![\\w.]*\\w))*`;
const ruleId = String.raw`(?:V[12]\.\d+|[A-Z]{1,4}\d+(?!\.\d))(?!\w)`;
const citedForms = [
  ['rule', new RegExp(String.raw`\b[Rr]ules?${lineBreak}(${listOf(ruleId)})`, 'g'), new RegExp(ruleId, 'g')],
  [
    'control',
    new RegExp(String.raw`\b[Cc]ontrols?${lineBreak}(${listOf(String.raw`S\d+[a-z]?`)})`, 'g'),
    /S\d+[a-z]?/g,
  ],
  ['invariant', new RegExp(String.raw`\b[Ii]nvariants?${lineBreak}(${listOf(String.raw`\d+`)})`, 'g'), /\d+/g],
  ['ADR', new RegExp(String.raw`\bADRs?${lineBreak}(${listOf(String.raw`\d+`)})`, 'g'), /\d+/g],
  ['section', /ARCHITECTURE\.md`?,? section (\d+)/g, /\d+/g],
];

/** Takes the workspace; gives the law of its documents. */
export function readLaw({ has, read, glob }) {
  return lawOf((path) => (has(path) ? read(path) : ''), glob('docs/adr/[0-9]*.md'));
}

/**
 * Takes a function from a page's path to its text, and the paths of the ADRs. Gives the ids of each kind of law as they
 * stand, repeats included.
 */
export function lawOf(page, records) {
  const ids = (text, row) => [...text.matchAll(row)].map(([, id]) => id);
  return {
    rule: ids(page('docs/spec/rules.md'), ruleRow),
    invariant: ids(page('docs/spec/invariants.md'), invariantRow),
    control: ids(page('docs/SECURITY.md'), controlRow).flatMap(controlsOf),
    ADR: records.map((path) => String(Number(path.match(/(\d+)-/)[1]))),
    section: ids(page('docs/ARCHITECTURE.md'), numberedHeading),
  };
}

/** A row of controls begins with `S1 ...`, `S15, S16 ...` or `S26 to S28 ...`. */
export function controlsOf(cell) {
  const [head] = cell.match(/^S\d+[a-z]?(?:(?:, | to )S\d+)*/);
  const range = head.match(/^S(\d+) to S(\d+)$/);
  if (!range) return head.split(', ');
  return Array.from({ length: range[2] - range[1] + 1 }, (_, at) => `S${Number(range[1]) + at}`);
}

/** Takes a text; gives its citations as `{ kind, id, line }`. */
export function citationsIn(text) {
  const found = [];
  for (const [kind, cited, id] of citedForms) {
    for (const match of text.matchAll(cited)) {
      const line = text.slice(0, match.index).split('\n').length;
      for (const [one] of match[1].matchAll(id)) found.push({ kind, id: one, line });
    }
  }
  return found;
}
