import type { Position } from '@aos/kernel';
import { recordedPosition, type SourceEvent } from '../publishing/envelope.wire.js';

/** Source events whose rows are put together, and the place up to which the feed is whole then. */
export interface FeedCommit {
  readonly events: readonly SourceEvent[];
  readonly to: Position;
}

/** Of one commit, unless one recorded event gives more: a reader waits for no more rows (rule TP9). */
const eventsMax = 2000;

/**
 * Cuts the source events of a batch into commits, none of them inside of a recorded event.
 *
 * Takes    the events in the order of the log, and the place of the batch's last recorded event.
 * Gives    at least one commit; the last one goes to that place.
 */
export function commitsOf(published: readonly SourceEvent[], end: Position): FeedCommit[] {
  const commits: FeedCommit[] = [];
  let from = 0;
  do {
    let to = Math.min(published.length, from + eventsMax);
    while (to < published.length && placeBefore(published, to) === recordedPosition(published[to]!.position)) to += 1;
    commits.push({ events: published.slice(from, to), to: to === published.length ? end : placeBefore(published, to) });
    from = to;
  } while (from < published.length);
  return commits;
}

function placeBefore(published: readonly SourceEvent[], index: number): Position {
  return recordedPosition(published[index - 1]!.position);
}
