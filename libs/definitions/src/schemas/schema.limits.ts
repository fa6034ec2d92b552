import type { Issue, Json, JsonObject } from '@aos/kernel';

/** Of one schema of a caller (control S25). */
export const schemaBytesMax = 64 * 1024;
export const schemaDepthMax = 32;
/** Compiling one schema, and checking one value by it: more work than that is refused (control S25). */
export const schemaBudgetMs = 250;
/**
 * What a thread keeps of its schemas before it is replaced, and what it may need in all. Between them there is room for
 * what one budget can use: some 100 KiB each millisecond. A thread that needs more can end the service.
 */
export const threadKeptBytesMax = 96 * 1024 * 1024;
export const threadMegabytes = 256;
/** A schema that was too much work is refused without being tried for so long (control S25). */
export const slowSchemaMs = 60_000;
/** Checks that wait of one organization, and of all together. */
export const waitingPerOrganizationMax = 64;
export const waitingMax = 256;

/**
 * What a check costs beyond the request that brought it.
 *
 * Takes    milliseconds of processor time.
 * Gives    one for each started 100 ms beyond the first.
 * Source   rule L1.
 */
export function checkCost(spentMs: number): number {
  return Math.max(0, Math.ceil(spentMs / 100) - 1);
}

export type SchemaDraft = 'draft-07' | '2019-09' | '2020-12';

const drafts: ReadonlyMap<string, SchemaDraft> = new Map([
  ['json-schema.org/draft-07/schema', 'draft-07'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
]);

/** The draft that a schema names; 2020-12 when it names none, null when it names one that is not taken. */
export function draftOf({ $schema = 'https://json-schema.org/draft/2020-12/schema' }: JsonObject): SchemaDraft | null {
  const name = typeof $schema === 'string' ? /^https?:\/\/(.*?)#?$/.exec($schema)?.[1] : undefined;
  return drafts.get(name ?? '') ?? null;
}

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
 * What makes a schema unfit before it is compiled: its size, its draft, its depth, references that leave it, `$async`.
 *
 * Gives    issues with JSON pointers below `at`; an empty list when all is well.
 * Source   control S25.
 */
export function schemaIssues(schema: JsonObject, at: string): Issue[] {
  if (Buffer.byteLength(JSON.stringify(schema)) > schemaBytesMax)
    return [{ path: at, message: `at most ${schemaBytesMax} bytes` }];
  if (draftOf(schema) === null)
    return [{ path: `${at}/$schema`, message: 'names no draft that is taken: draft-07, 2019-09 or 2020-12' }];
  const issues: Issue[] = [];
  look(schema, at, 1, issues, false);
  return issues;
}

function look(value: Json, at: string, depth: number, issues: Issue[], isByName: boolean): void {
  if (typeof value !== 'object' || value === null || issues.length > 0) return;
  if (depth > schemaDepthMax) {
    issues.push({ path: at, message: `at most ${schemaDepthMax} levels deep` });
    return;
  }
  if (!Array.isArray(value)) {
    for (const keyword of ['$ref', '$dynamicRef']) {
      const target = value[keyword];
      if (typeof target === 'string' && !target.startsWith('#'))
        issues.push({ path: `${at}/${keyword}`, message: 'may only refer to this schema itself' });
    }
    // With this keyword a check returns a promise, which counts as true for every value.
    if (!isByName && '$async' in value) issues.push({ path: `${at}/$async`, message: 'is not allowed' });
  }
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [member, inner] of members) {
    look(
      inner,
      `${at}/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`,
      depth + 1,
      issues,
      !isByName && schemasByName.has(String(member)),
    );
  }
}
