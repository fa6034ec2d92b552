import type { JsonObject } from '@aos/kernel';

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
