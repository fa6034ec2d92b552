import { getHeapStatistics } from 'node:v8';
import { exposedGc } from './exposed-gc.js';

/**
 * Bytes that lie in the heap behind the rounds of work though each was over and the young generation was collected
 * twice: what grew old, also what only something old that is dead reaches. Full collections, which would take the most
 * of it, are the engine's to begin, so give rounds of some megabytes together.
 */
export async function bytesGrownOld(rounds: number, work: (round: number) => unknown): Promise<number> {
  const collect = exposedGc();
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
