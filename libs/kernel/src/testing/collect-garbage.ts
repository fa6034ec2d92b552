import { exposedGc } from './exposed-gc.js';

/** Collects all that nothing holds, also what this turn of the loop has looked at. */
export async function collectGarbage(): Promise<void> {
  await new Promise(setImmediate);
  exposedGc()();
}
