import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects all that nothing holds, also what this turn of the loop has looked at. */
export async function collectGarbage(): Promise<void> {
  await new Promise(setImmediate);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
}
