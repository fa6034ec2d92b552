// Writes what is made from the contract: libs/contract/src/openapi.d.ts (the types of its schemas and operations), and of
// libs/client the same types, the table of operations and the guards of error codes. With --check it only says whether
// the files are what it would write.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import openapiTypes, { astToString } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';
import { parse } from 'yaml';
import { errorCodesText, operationsText } from './client-types.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const contract = join(root, 'contract', 'openapi.yaml');
const file = join(root, 'libs', 'contract', 'src', 'openapi.d.ts');
const client = join(root, 'libs', 'client', 'src');
const wantedTypes = ['components', 'operations'];
const schemasMin = 100; // types made of next to nothing must fail
const heading = `// Made from contract/openapi.yaml by tools/contract-types.mjs.
import type { Json, JsonObject } from '@aos/kernel';

`;
/** The client is packed without the workspace: it has its own words for JSON. */
const clientHeading = heading.replace("'@aos/kernel'", "'./json.js'");

/** Takes the contract as YAML; gives the declarations of its schemas and operations, without comments. */
export async function contractTypes(yaml) {
  const declarations = await openapiTypes(withOwnValues(parse(yaml)), {
    defaultNonNullable: false, // a member with a default may be left out
    emptyObjectsUnknown: true,
    exportType: true, // only an alias fits `JsonObject`
    silent: true,
  });
  const wanted = declarations.filter(({ name }) => wantedTypes.includes(name?.text));
  const text = astToString(wanted.map(asJson), { formatOptions: { removeComments: true } });
  return format(heading + text, { ...(await resolveConfig(file)), parser: 'typescript' });
}

/** `x-values` beside a reference are those of its values that it has there. */
function withOwnValues(node) {
  if (Array.isArray(node)) return node.map(withOwnValues);
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node['x-values'])) return { type: 'string', enum: node['x-values'] };
  return Object.fromEntries(Object.entries(node).map(([member, value]) => [member, withOwnValues(value)]));
}

/** What a schema leaves open is JSON: `unknown` would not fit `JsonObject`. Headers of answers are left out. */
function asJson(declaration) {
  const visit = (node) => {
    if (isHeaders(node)) return undefined;
    const seen = ts.visitEachChild(node, visit, undefined);
    if (ts.isParenthesizedTypeNode(seen) && isUnknown(seen.type)) return seen.type;
    if (ts.isUnionTypeNode(seen) && seen.types.every(isUnknown)) return seen.types[0];
    if (ts.isIntersectionTypeNode(seen)) return intersection(seen);
    if (ts.isTypeLiteralNode(seen) && isOpaque(seen)) return ts.factory.createTypeReferenceNode('JsonObject');
    const { type } = seen;
    if ((ts.isPropertySignature(seen) || ts.isIndexSignatureDeclaration(seen)) && isUnknown(type))
      return withJson(seen);
    return seen;
  };
  return ts.visitNode(declaration, visit);
}

/** Headers of an answer; a schema's own member of that name has no index by `name`. */
function isHeaders(node) {
  if (!ts.isPropertySignature(node) || node.name.text !== 'headers' || !ts.isTypeLiteralNode(node.type)) return false;
  return node.type.members.some(
    (member) => ts.isIndexSignatureDeclaration(member) && member.parameters[0].name.text === 'name',
  );
}

function isUnknown(type) {
  return type.kind === ts.SyntaxKind.UnknownKeyword;
}

/** `{ [key: string]: Json }` and nothing else. */
function isOpaque({ members }) {
  const [member] = members;
  return members.length === 1 && ts.isIndexSignatureDeclaration(member) && member.type.typeName?.text === 'Json';
}

/** `anyOf` over required members says nothing that a type could. */
function intersection({ types }) {
  const known = types.filter((type) => !isUnknown(type));
  return known.length === 1 ? known[0] : ts.factory.createIntersectionTypeNode(known);
}

function withJson(member) {
  const json = ts.factory.createTypeReferenceNode('Json');
  const { modifiers, name, questionToken, parameters } = member;
  return ts.isPropertySignature(member)
    ? ts.factory.updatePropertySignature(member, modifiers, name, questionToken, json)
    : ts.factory.updateIndexSignature(member, modifiers, parameters, json);
}

async function filesOf(yaml) {
  const types = await contractTypes(yaml);
  const formatted = async (path, text) => [
    path,
    await format(text, { ...(await resolveConfig(path)), parser: 'typescript' }),
  ];
  return Promise.all([
    [file, types],
    [join(client, 'openapi.d.ts'), types.replace(heading, clientHeading)],
    formatted(join(client, 'operations.ts'), operationsText(yaml)),
    formatted(join(client, 'error-codes.ts'), errorCodesText(yaml)),
  ]);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const files = await filesOf(readFileSync(contract, 'utf8'));
  const schemas = files[0][1].split('\n').filter((line) => /^ {4}\w+:/.test(line)).length;
  if (schemas < schemasMin) throw new Error(`only ${schemas} schemas found`);
  const isCheck = process.argv.includes('--check');
  for (const [path, wanted] of files) {
    if (!isCheck) writeFileSync(path, wanted);
    else if (readFileSync(path, 'utf8') !== wanted) {
      console.error(`${path} is not what the contract says: node tools/run.mjs tools/contract-types.mjs`);
      process.exitCode = 1;
    }
  }
}
