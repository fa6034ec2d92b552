import type { Contract, Operation, Schema } from '../contract/contract.js';

type Document = Contract['document'];
type Tree = Record<string, unknown>;

const depthMax = 4;
const itemsMin = 1;
const clientPackage = 'agent-service-client';

/**
 * Takes the contract. Gives its document with samples for TypeScript and Python beside each operation of the API that a
 * client can call; the page makes those for curl itself.
 */
export function withCodeSamples(contract: Pick<Contract, 'document' | 'operations' | 'schemaAt'>): Document {
  const paths = Object.fromEntries(Object.entries(contract.document.paths).map(([path, item]) => [path, { ...item }]));
  for (const operation of contract.operations.filter((each) => each.path.startsWith('/v1/') && !each.isSocket)) {
    const item = paths[operation.path];
    const member = operation.method.toLowerCase();
    const declared = item?.[member];
    if (item && declared)
      item[member] = { ...declared, 'x-codeSamples': samplesOf(operation, bodyOf(contract, declared)) };
  }
  return { ...contract.document, paths };
}

function samplesOf(operation: Operation, body: unknown): Tree[] {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => `<${name}>`);
  return [
    { lang: 'typescript', label: 'TypeScript', source: typescript(operation.method, path, body) },
    { lang: 'python', label: 'Python', source: python(operation.method, path, body) },
  ];
}

function typescript(method: string, path: string, body: unknown): string {
  const options =
    body === undefined ? '' : `, {\n  body: ${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')},\n}`;
  return `import { AgentService } from '${clientPackage}';

const svc = new AgentService({ baseUrl: 'http://127.0.0.1:8080', key: process.env.SVC_KEY });
const answer = await svc.request('${method}', '${path}'${options});
`;
}

function python(method: string, path: string, body: unknown): string {
  const json = body === undefined ? '' : `, body=${pythonValue(body)}`;
  return `import os
from agent_service import AgentService

svc = AgentService("http://127.0.0.1:8080", os.environ["SVC_KEY"])
answer = svc.request("${method}", "${path}"${json})
`;
}

function pythonValue(value: unknown, indent = ''): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  const deeper = `${indent}    `;
  const block = (open: string, lines: string[], close: string) =>
    lines.length === 0
      ? open + close
      : `${open}\n${lines.map((line) => `${deeper}${line},\n`).join('')}${indent}${close}`;
  if (Array.isArray(value))
    return block(
      '[',
      value.map((each) => pythonValue(each, deeper)),
      ']',
    );
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${pythonValue(each, deeper)}`);
  return block('{', members, '}');
}

function bodyOf(contract: Pick<Contract, 'schemaAt'>, declared: Tree): unknown {
  const content = (declared['requestBody'] as { content?: Record<string, { schema?: Schema }> } | undefined)?.content;
  const schema = content?.['application/json']?.schema;
  return schema && exampleOf(contract, schema, depthMax);
}

/** The smallest value that shows what a schema asks for: its example, its first choice, its required members. */
function exampleOf(contract: Pick<Contract, 'schemaAt'>, schema: Schema, depth: number): unknown {
  const known =
    schema['example'] ??
    schema['const'] ??
    schema['default'] ??
    listOf(schema['examples'])[0] ??
    listOf(schema['enum'])[0];
  if (known !== undefined) return known;
  if (typeof schema['$ref'] === 'string') return exampleOf(contract, contract.schemaAt(schema['$ref']), depth);
  const parts = listOf(schema['allOf']) as Schema[];
  if (parts.length > 0) return Object.assign({}, ...parts.map((part) => exampleOf(contract, part, depth))) as Tree;
  const choice = (listOf(schema['oneOf'])[0] ?? listOf(schema['anyOf'])[0]) as Schema | undefined;
  const type = [schema['type']].flat()[0];
  if (type === 'object' || schema['properties']) return membersOf(contract, schema, depth);
  if (choice) return exampleOf(contract, choice, depth);
  if (type === 'array') {
    const item = schema['items'] as Schema | undefined;
    const isNeeded = Number(schema['minItems'] ?? 0) >= itemsMin;
    return isNeeded && item && depth > 0 ? [exampleOf(contract, item, depth - 1)] : [];
  }
  if (type === 'integer' || type === 'number') return schema['minimum'] ?? 1;
  return type === 'boolean' ? true : '...';
}

function membersOf(contract: Pick<Contract, 'schemaAt'>, schema: Schema, depth: number): Tree {
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
  const names = depth > 0 ? (listOf(schema['required']) as string[]) : [];
  return Object.fromEntries(names.map((name) => [name, exampleOf(contract, properties[name] ?? {}, depth - 1)]));
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
