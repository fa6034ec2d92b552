import type { Issue, Json, JsonObject } from '@aos/kernel';

/** Of one schema of a caller (security S25). */
export const schemaBytesMax = 64 * 1024;
export const schemaDepthMax = 32;
/** Compiling one schema, and checking one value by it: more work than that is refused (security S25). */
export const schemaBudgetMs = 250;

/**
 * What makes a schema unfit before anybody compiles it: its size, its depth, references that leave it.
 *
 * Gives    issues with JSON pointers below `at`; an empty list when all is well.
 * Source   security S25.
 */
export function schemaIssues(schema: JsonObject, at: string): Issue[] {
  if (Buffer.byteLength(JSON.stringify(schema)) > schemaBytesMax) return [{ path: at, message: `at most ${schemaBytesMax} bytes` }];
  const issues: Issue[] = [];
  look(schema, at, 1, issues);
  return issues;
}

function look(value: Json, at: string, depth: number, issues: Issue[]): void {
  if (typeof value !== 'object' || value === null || issues.length > 0) return;
  if (depth > schemaDepthMax) {
    issues.push({ path: at, message: `at most ${schemaDepthMax} levels deep` });
    return;
  }
  if (!Array.isArray(value)) {
    for (const keyword of ['$ref', '$dynamicRef']) {
      const target = value[keyword];
      if (typeof target === 'string' && !target.startsWith('#')) issues.push({ path: `${at}/${keyword}`, message: 'may only refer to this schema itself' });
    }
  }
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [member, inner] of members) look(inner, `${at}/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`, depth + 1, issues);
}
