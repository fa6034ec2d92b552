// The two pages of docs/guide that are made: errors.md from the error catalogue of the contract, limits.md from settings,
// contract and constants of the sources. What a caller does about an error and what a limit bounds is written in
// errors.yaml and limits.yaml beside this file; what is missing there, or is there too much, is a fault.
import { parse } from 'yaml';

const kib = 1024;
const constantPattern = /^(?:export )?const (\w+)(?:: \w+)? = ([-\d_ .*+()]+);$/gm;
const internalPattern = /^libs\/\S+\.limits\.ts$/;
const retries = { no: 'no', later: 'yes, later', changed: 'after a change' };

export const made = { errors: 'docs/guide/errors.md', limits: 'docs/guide/limits.md' };
const data = { errors: 'tools/guide/errors.yaml', limits: 'tools/guide/limits.yaml' };
const contractFile = 'contract/openapi.yaml';

/**
 * Takes the workspace (`read`, `has`, `glob`); gives each page's text by its path, and the faults of what it is made
 * from.
 */
export function guideTables({ read, glob }) {
  const contract = parse(read(contractFile));
  const faults = [];
  const report = (where) => (what) => faults.push({ where, what });
  const pages = new Map([
    [made.errors, errorsPage(contract['x-error-catalog'], parse(read(data.errors)), report(data.errors))],
    [made.limits, limitsPage(contract, parse(read(data.limits)), { read, glob }, report(data.limits))],
  ]);
  return { pages, faults };
}

function errorsPage(catalogue, texts, report) {
  for (const code of Object.keys(texts)) if (!catalogue[code]) report(`${code} is not in the error catalogue`);
  const rows = Object.entries(catalogue).map(([code, { status, meaning }]) => {
    const { retry, do: advice } = texts[code] ?? {};
    if (!retries[retry] || !advice) report(`${code} has no text: retry (${Object.keys(retries).join(', ')}) and do`);
    return { status, line: `| \`${code}\` | ${status} | ${cell(meaning)} | ${retries[retry]} | ${cell(advice)} |` };
  });
  const lines = rows.sort((a, b) => a.status - b.status).map(({ line }) => line);
  return `# Errors

A refusal has the body \`{"error": {"code", "message", "details"}}\`: the code is for programs, the message for people, \`details\` is left out when it would be
empty. A refusal of the family 4xx wrote nothing; only a blueprint apply may have written entries before the one it failed at. After a 5xx, or when no answer
came, the outcome is unknown: send the same request with the same idempotency key, which gives the first one's result.

"Yes, later" means that the same request may pass after a wait; where the answer has \`Retry-After\`, wait for that many seconds. "After a change" means that the
same request is refused again. A code that you do not know is treated by its status.

Made from \`contract/openapi.yaml\` and \`tools/guide/errors.yaml\` by \`tools/guide-tables.mjs\`.

| code | status | when | retry | what to do |
|---|---|---|---|---|
${lines.join('\n')}
`;
}

function limitsPage(contract, { sections, internal }, { read, glob }, report) {
  const settings = settingsOf(read('docs/SETTINGS.md'));
  const constants = new Constants(read);
  const named = new Set(
    Object.entries(internal ?? {}).flatMap(([file, names]) => names.map((name) => `${file} ${name}`)),
  );
  const parts = sections.map(({ title, rows }) => {
    const lines = rows.map(({ what, from, unit, over }) => {
      const [kind, ...words] = from.split(' ');
      const value = valueOf(kind, words, { settings, contract, constants });
      if (value === undefined) report(`${what}: ${from} has no number`);
      if (kind === 'code') named.add(words.join(' '));
      const source = kind === 'setting' ? ` (\`${words[0]}\`)` : '';
      return `| ${cell(what)}${source} | ${shown(value, unit)} | ${overOf(over, contract['x-error-catalog'])} |`;
    });
    return `## ${title}\n\n| what | limit | beyond it |\n|---|---|---|\n${lines.join('\n')}\n`;
  });
  for (const [file, names] of Object.entries(internal ?? {})) {
    const declared = constants.of(file);
    for (const name of names) if (!declared.has(name)) report(`${file} ${name} is internal, and not there`);
  }
  for (const file of glob('libs/**/*.limits.ts').filter((path) => internalPattern.test(path))) {
    for (const name of constants.exportedBy(file))
      if (!named.has(`${file} ${name}`)) report(`${file} ${name} is in no row, and not internal`);
  }
  return `# Limits

Sizes, counts and rates. Those with a setting are its default. Characters are UTF-16 code units, 1 KiB is 1,024 bytes. Beyond a limit stands the code of the
refusal ([errors](errors.md)), or what happens instead.

Made from settings, contract and sources by \`tools/guide-tables.mjs\`; which value stands in which row is in \`tools/guide/limits.yaml\`.

${parts.join('\n')}
## Fields of request bodies

Bounds that the contract states for single fields. A body beyond one of them is 400 \`bad_request\`, with the path of the field in \`details.issues\`.

| request | fields |
|---|---|
${bodyLines(contract).join('\n')}
`;
}

/** Default of each setting that is a number. */
function settingsOf(page) {
  return new Map([...page.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, name, value]) => [name, Number(value)]));
}

/** Numbers that sources declare, by file; each file is read once. */
class Constants {
  #files = new Map();

  constructor(read) {
    this.read = read;
  }

  of(file) {
    if (!this.#files.has(file)) this.#files.set(file, this.#declared(file));
    return this.#files.get(file);
  }

  exportedBy(file) {
    const text = this.read(file);
    return [...this.of(file).keys()].filter((name) => text.includes(`export const ${name}`));
  }

  #declared(file) {
    const text = this.read(file).replace(/\bkib\b/g, String(kib));
    return new Map([...text.matchAll(constantPattern)].map(([, name, sum]) => [name, numberOf(sum)]));
  }
}

/** Takes a sum of products of whole numbers, such as `8 * 1024 + 64`; gives its value. */
function numberOf(sum) {
  const product = (text) => text.split('*').reduce((whole, factor) => whole * Number(factor.replaceAll('_', '')), 1);
  return sum.split('+').reduce((whole, part) => whole + product(part), 0);
}

function valueOf(kind, [first, second], { settings, contract, constants }) {
  if (kind === 'fixed') return Number(first);
  if (kind === 'setting') return settings.get(first);
  if (kind === 'code') return constants.of(first).get(second);
  const [schema, property] = first.split('/');
  return contract.components.schemas[schema]?.properties?.[property]?.[second];
}

function shown(value, unit) {
  if (value === undefined) return '?';
  if (unit === 'bytes') return bytes(value);
  if (unit === 'ms') return time(value / 1000);
  if (unit === 'seconds') return time(value);
  return unit === 'characters' ? `${count(value)} characters` : count(value);
}

const count = (value) => value.toLocaleString('en-US');

function bytes(value) {
  if (value % (kib * kib) === 0) return `${value / kib / kib} MiB`;
  return value % kib === 0 ? `${count(value / kib)} KiB` : `${count(value)} bytes`;
}

function time(seconds) {
  for (const [unit, length] of [
    ['days', 86_400],
    ['hours', 3600],
    ['minutes', 60],
  ])
    if (seconds >= 2 * length && seconds % length === 0) return `${count(seconds / length)} ${unit}`;
  return seconds < 1 ? `${seconds * 1000} ms` : `${count(seconds)} s`;
}

function overOf(over, catalogue) {
  return catalogue[over] ? `${catalogue[over].status} \`${over}\`` : cell(over);
}

/** One line for each operation whose body has bounded fields. */
function bodyLines(contract) {
  const lines = [];
  for (const [path, operations] of Object.entries(contract.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const schema = operation?.requestBody?.content?.['application/json']?.schema;
      if (!schema) continue;
      const found = new Map();
      boundsOf(contract, schema, '', found, []);
      const fields = [...found].map(([field, bound]) => `\`${field}\` ${bound}`);
      if (fields.length > 0) lines.push(`| \`${method.toUpperCase()} ${path}\` | ${fields.join(', ')} |`);
    }
  }
  return lines;
}

/** Collects bounds of a schema's fields by their path; a schema within itself is followed once. */
function boundsOf(contract, schema, path, found, within) {
  if (!schema || typeof schema !== 'object') return;
  if (schema.$ref) {
    if (within.includes(schema.$ref)) return;
    const target = schema.$ref
      .split('/')
      .slice(1)
      .reduce((value, name) => value[name], contract);
    boundsOf(contract, target, path, found, [...within, schema.$ref]);
    return;
  }
  const bound = boundOf(schema);
  if (bound && path && !found.has(path)) found.set(path, bound);
  for (const part of [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
    boundsOf(contract, part, path, found, within);
  if (schema.items) boundsOf(contract, schema.items, `${path}[]`, found, within);
  for (const [name, inner] of Object.entries(schema.properties ?? {}))
    boundsOf(contract, inner, path ? `${path}.${name}` : name, found, within);
}

function boundOf({ minLength = 0, maxLength, minItems = 0, maxItems, minimum, maximum, maxProperties }) {
  const range = (from, to) => (from ? `${count(from)} to ${count(to)}` : `up to ${count(to)}`);
  if (maxLength !== undefined) return `${range(minLength, maxLength)} characters`;
  if (maxItems !== undefined) return `${range(minItems, maxItems)} items`;
  if (maxProperties !== undefined) return `up to ${count(maxProperties)} members`;
  return maximum === undefined ? '' : `${count(minimum ?? 0)} to ${count(maximum)}`;
}

const cell = (text = '') =>
  String(text)
    .replace(/ (Status|Code) chosen here\.$/, '')
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ')
    .trim();
