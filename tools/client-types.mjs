// What of libs/client is made from the contract: its operations by name, and a guard for each code of the error catalogue.
import { parse } from 'yaml';

const heading = '// Made from contract/openapi.yaml by tools/contract-types.mjs.\n';
const methodNames = ['get', 'post', 'put', 'patch', 'delete'];
const operationsMin = 100; // a client of next to nothing must fail

/** Nouns that operations begin with, after their verb, and the names of the client that they become. */
const nouns = {
  APIKey: 'apiKeys',
  ActionInvocation: 'actionInvocations',
  Action: 'actions',
  Agent: 'agents',
  Artifact: 'artifacts',
  AuditEntry: 'audit',
  Billing: 'billing',
  Blueprint: 'blueprints',
  Catalog: 'catalog',
  Connection: 'connections',
  Interaction: 'interactions',
  Nudge: 'nudges',
  Org: 'organization',
  OrgPermission: 'permissions',
  Principal: 'principals',
  ResourceOwnership: 'ownership',
  Role: 'roles',
  RoleAssignment: 'roleAssignments',
  Routine: 'routines',
  Session: 'sessions',
  Skill: 'skills',
  SourceEvent: 'events',
  Table: 'tables',
  Token: 'tokens',
  Turn: 'turns',
  Webhook: 'webhooks',
  Worker: 'workers',
};
/** Operations whose words say too little; null: the client reaches it in another way. */
const named = {
  getMe: ['me', 'get'],
  createFirstKey: ['console', 'firstKey'],
  getOverview: ['overview', 'get'],
  respondToInteraction: ['interactions', 'respond'],
  openWorkerSocket: null, // `worker()` speaks to it
};

/**
 * Takes the contract as YAML.
 * Gives the operations as `{ id, group, name, method, path, parameters, flags }`, in the order of the contract.
 * Refuses two operations of one name, and a contract with next to no operations.
 */
export function clientOperations(yaml) {
  const contract = parse(yaml);
  const found = Object.entries(contract.paths).flatMap(([path, item]) =>
    methodNames
      .filter((method) => item[method] && named[item[method].operationId] !== null)
      .map((method) => described(contract, path, method, item[method])),
  );
  const names = found.map(({ group, name }) => `${group}.${name}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two operations are named ${twice}`);
  if (found.length < operationsMin) throw new Error(`only ${found.length} operations found`);
  return found;
}

function described(contract, path, method, operation) {
  const [group, name] = named[operation.operationId] ?? nameOf(operation);
  const parameters = (operation.parameters ?? []).map((one) => resolved(contract, one));
  const wanted = {
    body: operation.requestBody !== undefined,
    isBodyRequired: operation.requestBody?.required === true,
    query: parameters.some(({ in: where }) => where === 'query'),
    isQueryRequired: parameters.some(({ in: where, required }) => where === 'query' && required === true),
    key: keyPlace(contract, operation, parameters),
    pages: pagesBy(contract, method, operation, parameters),
    reply: replyOf(operation),
  };
  return {
    id: operation.operationId,
    group,
    name,
    method: method.toUpperCase(),
    path,
    parameters: [...path.matchAll(/\{([^}]+)\}/g)].map(([, parameter]) => parameter),
    ...wanted,
    flags: flagsOf(wanted),
  };
}

/** `listAgentSkillAssignments` is `agents.listSkillAssignments`; the longest noun wins. */
function nameOf({ operationId, tags: [tag] }) {
  const [, verb, rest] = /^([a-z]+)(.*)$/.exec(operationId);
  const forms = Object.entries(nouns).flatMap(([noun, group]) => [
    { form: noun, group },
    { form: pluralOf(noun), group },
  ]);
  const [best] = forms
    .filter(({ form }) => rest.startsWith(form) && !/^[a-z]/.test(rest.slice(form.length)))
    .sort((left, right) => right.form.length - left.form.length);
  if (!best) return [tag, operationId];
  return [best.group, verb + rest.slice(best.form.length)];
}

function pluralOf(noun) {
  return noun.endsWith('ry') ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

function resolved(contract, one) {
  return one.$ref === undefined ? one : contract.components.parameters[one.$ref.split('/').at(-1)];
}

function schemaOf(contract, schema = {}) {
  return schema.$ref === undefined ? schema : contract.components.schemas[schema.$ref.split('/').at(-1)];
}

/** Where the operation takes its retry key: in `input`, in the body, or in the header alone. */
function keyPlace(contract, operation, parameters) {
  if (!parameters.some(({ name, in: where }) => where === 'header' && name === 'Idempotency-Key')) return null;
  const body = schemaOf(contract, operation.requestBody?.content['application/json']?.schema);
  const members = [body, ...(body.oneOf ?? body.anyOf ?? []).map((one) => schemaOf(contract, one))];
  const takesKey = ({ properties }) => properties?.idempotency_key !== undefined;
  if (members.some(({ properties }) => takesKey(schemaOf(contract, properties?.input)))) return 'input';
  return members.some(takesKey) ? 'body' : 'header';
}

/** What asks for the next page of a list: a parameter, or `cursor` of the body; '' for a list that is always whole. */
function pagesBy(contract, method, operation, parameters) {
  const reply = schemaOf(contract, operation.responses['200']?.content?.['application/json']?.schema);
  const body = schemaOf(contract, operation.requestBody?.content['application/json']?.schema);
  const isList = reply.properties?.items !== undefined && (method === 'get' || body.properties?.cursor !== undefined);
  if (!isList) return null;
  const names = parameters.map(({ name }) => name);
  if (method === 'post' || names.includes('cursor')) return 'cursor';
  return ['after_sequence', 'after'].find((name) => names.includes(name)) ?? '';
}

function replyOf({ responses }) {
  const media = Object.keys(responses['200']?.content ?? responses['201']?.content ?? responses['202']?.content ?? {});
  if (media.length === 0 || media.includes('application/json')) return 'json';
  if (media.includes('text/event-stream')) return responses['202'] ? 'json' : 'frames';
  return media.includes('application/octet-stream') ? 'bytes' : 'text';
}

/** `b` body, `q` query, `i` `k` `h` key, `c` `s` `a` `w` pages, `e` frames, `o` bytes, `t` text. */
function flagsOf({ body, query, key, pages, reply }) {
  return [
    body ? 'b' : '',
    query ? 'q' : '',
    { input: 'i', body: 'k', header: 'h' }[key] ?? '',
    { cursor: 'c', after_sequence: 's', after: 'a', '': 'w' }[pages] ?? '',
    { frames: 'e', bytes: 'o', text: 't' }[reply] ?? '',
  ].join('');
}

/** Takes the contract as YAML; gives the text of `operations.ts`, not formatted yet. */
export function operationsText(yaml) {
  const groups = Object.entries(Object.groupBy(clientOperations(yaml), ({ group }) => group)).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const table = groups.map(([group, operations]) => {
    const base = operations[0].path.split('/').slice(0, 3).join('/');
    return [`${group} ${base}`, ...operations.map((operation) => `${operation.name} ${packed(operation, base)}`)].join(
      '\n',
    );
  });
  const types = groups.map(([group, operations]) => `${group}: { ${operations.map(signature).join('\n')} };`);
  return `${heading}import type { CallOptions, Frame, ItemOf, Query, Reply, RequestBody } from './wire.js';
import type { Pages } from './pages.js';

/**
 * Each noun with the path that its operations begin with, and a line for each of them: name, method (its first two
 * letters), path (\`*\` for an id, \`^\` before one that begins otherwise) and flags: \`b\` body, \`q\` query, \`i\` \`k\` \`h\`
 * the place of a retry key, \`c\` \`s\` \`a\` \`w\` pages, \`e\` frames, \`o\` bytes, \`t\` text.
 */
export const operations: string = \`${table.join('\n\n')}\`;

/** The operations of the contract, by noun and verb. */
export interface Resources { ${types.join('\n')} }

/** What a client has for each noun. */
export abstract class ResourceGroups { ${groups.map(([group]) => `declare readonly ${group}: Resources['${group}'];`).join('\n')} }
`;
}

/** Short, because every page that uses the client loads it. */
function packed({ method, path, flags }, base) {
  const rest = path.startsWith(base) ? path.slice(base.length) : `^${path}`;
  return `${method.slice(0, 2)}${rest.replace(/\{\w+\}/g, '*')} ${flags}`.trim();
}

function signature(operation) {
  const { id, name, parameters, body, isBodyRequired, query, isQueryRequired } = operation;
  const taken = [
    ...parameters.map((parameter) => `${camel(parameter)}: string`),
    ...(body ? [`body${isBodyRequired ? '' : '?'}: RequestBody<'${id}'>`] : []),
    ...(query ? [`query${isQueryRequired ? '' : '?'}: Query<'${id}'>`] : []),
    'options?: CallOptions',
  ];
  return `${name}(${taken.join(', ')}): ${resultOf(operation)};`;
}

function resultOf({ id, pages, reply }) {
  if (pages !== null) return `Pages<ItemOf<'${id}'>, Reply<'${id}'>>`;
  if (reply === 'frames') return 'AsyncIterable<Frame>';
  if (reply === 'bytes') return 'Promise<Response>';
  return reply === 'text' ? 'Promise<string>' : `Promise<Reply<'${id}'>>`;
}

function camel(name) {
  return name.replace(/_(\w)/g, (_match, letter) => letter.toUpperCase());
}

/** Takes the contract as YAML; gives the text of `error-codes.ts`, not formatted yet. */
export function errorCodesText(yaml) {
  const codes = Object.entries(parse(yaml)['x-error-catalog']);
  const guards = codes.map(
    ([code, { status, meaning }]) => `/** ${status}: ${meaning} */\n${camel(code)}: Guard<'${code}'>;`,
  );
  return `${heading}import { guardsOf, type Guard } from './api-error.js';

/** Codes of the catalogue. Others may come: they are treated by their status. */
export type ErrorCode = ${codes.map(([code]) => `'${code}'`).join(' | ')};

/** A guard for each code: \`if (is.notFound(error)) ...\`. */
export interface Guards { ${guards.join('\n')} }

export const is: Guards = /* @__PURE__ */ guardsOf('${codes.map(([code]) => code).join(' ')}');
`;
}
