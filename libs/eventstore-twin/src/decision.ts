/** What the writer says of the stream before its events: an exact revision, or a condition without one. */
export type Expected = number | 'no_stream' | 'any' | 'stream_exists';

export type Decision =
  | { kind: 'write'; first: number }
  | { kind: 'repeat'; first: number; last: number }
  | { kind: 'conflict'; current: number }
  | { kind: 'deleted' };

/** What is known of one stream when an append arrives. */
export interface StreamFacts {
  /** Revision of the last event; -1 when there is none. */
  last: number;
  tombstoned: boolean;
  /** `$tb` is the highest number there is: no reader sees an event, numbering goes on. */
  softDeleted: boolean;
  hasMetadata: boolean;
  /** Id of the event at a revision, read from the log itself. */
  idAt(revision: number): string | undefined;
  /** Revision of an id, only from a bounded memory of recent events. */
  recentRevision(id: string): number | undefined;
}

/**
 * The server's rule for one append.
 *
 * Takes    the expected revision, the ids of the new events and the facts of their stream.
 * Gives    where to write, the first append's revisions when this is its repeat, or why nothing is written. An exact
 *          revision recognizes a repeat at any age; `any` and `stream_exists` only as long as the ids are remembered,
 *          so that a late repeat is written twice.
 */
export function decide(expected: Expected, ids: readonly string[], facts: StreamFacts): Decision {
  if (facts.tombstoned) return { kind: 'deleted' };
  if (expected === 'any') return fromMemory(ids, facts);
  if (expected === 'stream_exists') {
    const exists = facts.softDeleted ? false : facts.last >= 0 || facts.hasMetadata;
    return exists ? fromMemory(ids, facts) : { kind: 'conflict', current: facts.last };
  }
  const revision = expected === 'no_stream' ? -1 : expected;
  if (revision === facts.last) return { kind: 'write', first: facts.last + 1 };
  if (revision > facts.last) return { kind: 'conflict', current: facts.last };
  return fromLog(revision, ids, facts);
}

function fromMemory(ids: readonly string[], facts: StreamFacts): Decision {
  const revisions = ids.map((id) => facts.recentRevision(id));
  const first = revisions[0];
  if (first === undefined) return { kind: 'write', first: facts.last + 1 };
  const last = revisions.at(-1);
  return last === undefined || revisions.includes(undefined)
    ? { kind: 'conflict', current: facts.last }
    : { kind: 'repeat', first, last };
}

function fromLog(revision: number, ids: readonly string[], facts: StreamFacts): Decision {
  if (ids.length === 0) return { kind: 'write', first: facts.last + 1 };
  const agreeing = ids.findIndex((id, index) => facts.idAt(revision + 1 + index) !== id);
  if (agreeing === -1) return { kind: 'repeat', first: revision + 1, last: revision + ids.length };
  if (agreeing === 0 && revision === -1 && facts.softDeleted) return { kind: 'write', first: facts.last + 1 };
  return { kind: 'conflict', current: facts.last };
}
