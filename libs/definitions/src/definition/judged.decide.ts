/** The stream moved since it was read: read again and decide again. */
export class Moved extends Error {}

/** Requires a stream to be at the revision at which the command was judged; throws `Moved` when it is not. */
export function requireUnmoved(judged: number, revision: number): void {
  if (revision !== judged) throw new Moved(`judged at ${judged}, now at ${revision}`);
}

/** Events that were judged before, on a state with large values put back. */
export interface Judged<E> {
  /** Revision of the stream at that time. */
  revision: number;
  events: readonly E[];
}

/** Writes what was judged, at exactly that revision; throws `Moved` otherwise. */
export function recordJudged<E>(
  { revision: judged, events }: Judged<E>,
  _state: unknown,
  revision: number,
): readonly E[] {
  requireUnmoved(judged, revision);
  return events;
}
