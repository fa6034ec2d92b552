import type { JsonObject } from './json.js';
import type { ReadRow, RowKey } from './ports/index.js';

/** Name of a projection's collection. */
export function collectionOf(projection: { name: string; version: number }): string {
  return `${projection.name}@${projection.version}`;
}

/** A stream by its id behind the category, and the organization of its events. */
export interface StreamOfRow {
  id: string;
  orgId: string;
}

/** Lies with the other rows of the organization, under the stream's id. */
export const inOrganization = ({ id, orgId }: StreamOfRow): RowKey => ({ scope: [orgId], key: id });

/** Lies with the rows of all organizations, under the stream's id. */
export const acrossOrganizations = ({ id }: Pick<StreamOfRow, 'id'>): RowKey => ({ scope: ['*'], key: id });

/** Collection of all timers, across organizations: rows of per-stream projections, so that a restart loses none. */
export const dueCollection = 'due@1';

/**
 * Takes    the stream's id, its revision, a name unique in the stream, when (milliseconds since 1970; null: no timer
 *          stands), who handles it, and what it needs to know.
 * Gives    the row for a per-stream projection.
 */
export function dueRow(timer: {
  stream: string;
  revision: number;
  name: string;
  at: number | null;
  handler: string;
  details: JsonObject;
}): ReadRow {
  const base = {
    collection: dueCollection,
    scope: ['*'],
    key: `${timer.stream}:${timer.name}`,
    revision: timer.revision,
  };
  if (timer.at === null) return { ...base, doc: null, index: {} };
  return {
    ...base,
    doc: { handler: timer.handler, at: timer.at, ...timer.details },
    index: { at: timer.at, handler: timer.handler },
  };
}
