import type { Position, ReadStore } from '@aos/kernel';

/**
 * Whether a read store has less of an ordered projection than its projector gave it: emptied, or put back to an earlier state. An idle projector
 * finds out by no commit of its own, so whoever keeps its lease asks.
 *
 * Takes    the checkpoint that the projector knows now. A higher one in the store is no loss: a commit on its way, or another projector's, whose rows
 *          are there and which the next commit meets as a conflict.
 */
export async function hasLostCheckpoint(readStore: ReadStore, projection: string, known: Position): Promise<boolean> {
  const stored = await readStore.checkpoint(projection);
  return stored === null || stored < known;
}
