import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The engine's own collection: of all, or of the young generation alone. */
export function exposedGc(): (options?: { type: 'minor' }) => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as (options?: { type: 'minor' }) => void;
}
