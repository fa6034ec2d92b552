// Writes the table of the command line's operations, apps/svc/src/operations/operations.ts, from contract/openapi.yaml;
// with --check it only says whether the file is what it would write.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { parse } from 'yaml';
import { exampleOf } from './cli/example.mjs';
import { wordsOf } from './cli/words.mjs';

const root = join(import.meta.dirname, '..');
const file = join(root, 'apps', 'svc', 'src', 'operations', 'operations.ts');
const methods = ['get', 'post', 'put', 'patch', 'delete'];
const operationsMin = 100; // a table made of next to nothing must fail
const heading = `// Made from contract/openapi.yaml by tools/cli-operations.mjs.
import type { Operation } from './operation.js';

export const operations: readonly Operation[] = `;

/** Takes the contract as YAML and the ids of operations that are not served; gives the rows of the table. */
export function operationsIn(yaml, unserved) {
  const contract = parse(yaml);
  const rows = [];
  for (const [path, item] of Object.entries(contract.paths))
    for (const method of methods.filter((name) => item[name]))
      rows.push(rowOf(contract, { path, method, item, operation: item[method], unserved }));
  const seen = new Map();
  for (const { id, words, args } of rows) {
    const call = `${words} (${args.length} arguments)`;
    if (seen.has(call)) throw new Error(`${id} and ${seen.get(call)} are both "svc ${call}": see tools/cli/words.mjs`);
    seen.set(call, id);
  }
  return rows.sort((one, other) => (one.words < other.words ? -1 : one.words > other.words ? 1 : 0));
}

function rowOf(contract, { path, method, item, operation, unserved }) {
  const id = operation.operationId;
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((one) =>
    resolved(contract, one),
  );
  const of = (place) => parameters.filter((parameter) => parameter.in === place);
  const content = operation.requestBody?.content ?? {};
  const answer = answerOf(contract, operation);
  const words = wordsOf({ id, path, method });
  const args = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const example = exampleOf(contract, { id, words, args, content, parameters });
  return {
    id,
    words,
    method: method.toUpperCase(),
    path,
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: oneLine(operation.description) }),
    args,
    query: of('query').map((parameter) => optionOf(contract, parameter)),
    headers: of('header').map((parameter) => optionOf(contract, parameter)),
    ...(Object.keys(content).length === 0
      ? {}
      : {
          body: content['application/json'] ? 'json' : 'multipart',
          bodyRequired: operation.requestBody.required === true,
        }),
    answer: answer.kind,
    ...(answer.isList ? { pages: pagesOf(contract, operation, of('query'), answer) } : {}),
    ...(destroys(method, words) ? { destroys: true } : {}),
    ...(unserved.has(id) ? { unserved: true } : {}),
    example,
  };
}

/** What cannot be taken back. */
function destroys(method, words) {
  return method === 'delete' || words === 'actions rotate-secret';
}

function resolved({ components }, parameter) {
  const name = parameter.$ref?.split('/').at(-1);
  return name === undefined ? parameter : components.parameters[name];
}

function optionOf(contract, { name, description, schema, required }) {
  const found = schema.$ref ? contract.components.schemas[schema.$ref.split('/').at(-1)] : schema;
  const item = found.items ?? found;
  return {
    name,
    type: found.type === 'array' ? 'list' : [found.type].flat()[0],
    ...(item.enum ? { choices: item.enum.filter((value) => value !== null) } : {}),
    ...(required ? { required: true } : {}),
    about: oneLine(description ?? name.replaceAll('_', ' ')),
  };
}

/** What the answer of success is: JSON, text, bytes, a stream, a redirect or nothing; and whether it is a list. */
function answerOf(contract, { responses }) {
  const found = Object.entries(responses).filter(([status]) => /^[12]/.test(status));
  if (found.some(([status]) => status === '101')) return { kind: 'socket', isList: false };
  if (['302', '303'].some((status) => responses[status])) return { kind: 'redirect', isList: false };
  const contents = found.flatMap(([, response]) => Object.entries(response.content ?? {}));
  const json = contents.find(([type]) => type === 'application/json')?.[1];
  if (json) {
    const schema = json.schema?.$ref ? contract.components.schemas[json.schema.$ref.split('/').at(-1)] : json.schema;
    return { kind: 'json', isList: schema?.properties?.items?.type === 'array', members: schema?.properties ?? {} };
  }
  const types = contents.map(([type]) => type);
  if (types.includes('text/event-stream')) return { kind: 'stream', isList: false };
  if (types.some((type) => type.startsWith('text/') || type.endsWith('yaml'))) return { kind: 'text', isList: false };
  return { kind: types.length > 0 ? 'bytes' : 'none', isList: false };
}

/** How the next page is asked for: which member of the answer goes where; null where all comes at once. */
function pagesOf(contract, operation, query, { members }) {
  const isPaged = members.has_more !== undefined;
  const has = (name) => query.some((parameter) => parameter.name === name);
  if (!isPaged) return null;
  if (has('cursor')) return { from: 'next_cursor', to: 'cursor', in: 'query' };
  if (has('after_sequence')) return { from: 'next_sequence', to: 'after_sequence', in: 'query' };
  if (has('after')) return { from: 'next_cursor', to: 'after', in: 'query' };
  const ref = operation.requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1);
  const body = ref ? contract.components.schemas[ref].properties : {};
  return body?.cursor ? { from: 'next_cursor', to: 'cursor', in: 'body' } : null;
}

function oneLine(text) {
  return text.replace(/\s+/g, ' ').trim();
}

/** Takes the texts of README and pages; gives the ids that their section "Not served yet" lists. */
export function unservedIn(texts) {
  const sections = texts.flatMap((text) => /^#+ Not served yet\n([\s\S]*?)(?:^#|$(?![\s\S]))/m.exec(text)?.[1] ?? []);
  return new Set(sections.flatMap((section) => [...section.matchAll(/`(\w+)`/g)].map(([, id]) => id)));
}

/** Takes the contract as YAML and the texts of README and pages; gives the file. */
export async function operationsFile(yaml, texts) {
  const rows = operationsIn(yaml, unservedIn(texts));
  if (rows.length < operationsMin) throw new Error(`only ${rows.length} operations found`);
  return format(`${heading}${JSON.stringify(rows)};\n`, { ...(await resolveConfig(file)), parser: 'typescript' });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const read = (path) => readFileSync(join(root, path), 'utf8');
  const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: root })];
  const wanted = await operationsFile(read('contract/openapi.yaml'), pages.map(read));
  if (!process.argv.includes('--check')) writeFileSync(file, wanted);
  else if (readFileSync(file, 'utf8') !== wanted) {
    console.error(`${file} is not what the contract says: node tools/run.mjs tools/cli-operations.mjs`);
    process.exit(1);
  }
}
