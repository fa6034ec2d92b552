import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Collects all that nothing holds, also what this turn of the loop has looked at. */
export async function collectGarbage(): Promise<void> {
  await new Promise(setImmediate);
  collect();
}
