import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A collection of the young generation alone: what is reached from something old that is dead survives it. */
type Collect = (options: { type: 'minor' }) => void;

/**
 * Bytes that lie in the heap behind the rounds of work though each was over and the young generation was collected
 * twice: what grew old. Full collections, which would take the most of it, are the engine's to begin, so give rounds of
 * some megabytes together.
 */
export async function bytesGrownOld(rounds: number, work: (round: number) => unknown): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  const inTurn = async (count: number) => {
    for (let round = 0; round < count; round += 1) {
      await work(round);
      collect({ type: 'minor' });
      collect({ type: 'minor' });
    }
    return getHeapStatistics().used_heap_size;
  };
  const before = await inTurn(Math.ceil(rounds / 4)); // what is made once is there
  return (await inTurn(rounds)) - before;
}
