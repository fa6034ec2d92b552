import { jsonBytes } from '@aos/kernel';
import type { Issue, Json, JsonObject } from '@aos/kernel';
import { draftOf, schemaBytesMax, schemaDepthMax } from './schema.limits.js';

/** Members of these are schemas by name: none of the names is a keyword. */
const schemasByName: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/**
 * What makes a schema unfit before it is compiled: its size, its draft, its depth, `$async`, references that leave it
 * or lead back to themselves.
 *
 * Gives    issues with JSON pointers below `at`; an empty list when all is well.
 * Source   control S25.
 */
export function schemaIssues(schema: JsonObject, at: string): Issue[] {
  if (jsonBytes(schema) > schemaBytesMax) return [{ path: at, message: `at most ${schemaBytesMax} bytes` }];
  if (draftOf(schema) === null)
    return [{ path: `${at}/$schema`, message: 'names no draft that is taken: draft-07, 2019-09 or 2020-12' }];
  const issues: Issue[] = [];
  const references = new Map<string, string>();
  look(schema, { at, depth: 1, isByName: false }, issues, references);
  return issues.length > 0 ? issues : endlessReferences(schema, references);
}

interface Looked {
  at: string;
  depth: number;
  isByName: boolean;
}

function look(value: Json, { at, depth, isByName }: Looked, issues: Issue[], references: Map<string, string>): void {
  if (typeof value !== 'object' || value === null || issues.length > 0) return;
  if (depth > schemaDepthMax) {
    issues.push({ path: at, message: `at most ${schemaDepthMax} levels deep` });
    return;
  }
  if (!Array.isArray(value)) {
    for (const keyword of ['$ref', '$dynamicRef']) {
      const target = value[keyword];
      if (typeof target !== 'string') continue;
      if (!target.startsWith('#'))
        issues.push({ path: `${at}/${keyword}`, message: 'may only refer to this schema itself' });
      else if (keyword === '$ref') references.set(`${at}/${keyword}`, target);
    }
    // With this keyword a check returns a promise, which counts as true for every value.
    if (!isByName && '$async' in value) issues.push({ path: `${at}/$async`, message: 'is not allowed' });
  }
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [member, inner] of members) {
    const within = {
      at: `${at}/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`,
      depth: depth + 1,
      isByName: !isByName && schemasByName.has(String(member)),
    };
    look(inner, within, issues, references);
  }
}

/** What says nothing of a value: a schema of these alone is where its reference leads. */
const silent: ReadonlySet<string> = new Set([
  '$ref',
  '$schema',
  '$id',
  '$comment',
  '$defs',
  'definitions',
  'title',
  'description',
  'default',
  'examples',
]);

/**
 * Takes    the targets of a schema's references by where they stand.
 * Gives    an issue of the first that leads back to itself with nothing but references on its way: an engine follows
 *          those until its stack is full. Each is followed once.
 */
function endlessReferences(schema: JsonObject, references: ReadonlyMap<string, string>): Issue[] {
  const passed = new Set<string>();
  for (const [path, first] of references) {
    const followed = new Set<string>();
    let target: string | null = first;
    while (target !== null && !passed.has(target)) {
      if (followed.has(target)) return [{ path, message: 'leads back to itself alone' }];
      followed.add(target);
      target = nextReference(schema, target);
    }
    for (const each of followed) passed.add(each);
  }
  return [];
}

/** Where the schema that a reference names is another reference alone: to what; else null. */
function nextReference(schema: JsonObject, reference: string): string | null {
  let found: Json | undefined = schema;
  for (const token of reference.split('/').slice(1)) {
    const name = unescaped(token);
    if (typeof found !== 'object' || found === null || name === null || !Object.hasOwn(found, name)) return null;
    found = (found as JsonObject)[name];
  }
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return null;
  const { $ref: next } = found;
  return typeof next === 'string' && Object.keys(found).every((member) => silent.has(member)) ? next : null;
}

/** A token of a pointer in a fragment; null for one that is none. */
function unescaped(token: string): string | null {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return null;
  }
}
