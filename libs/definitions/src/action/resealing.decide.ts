import { requireUnmoved } from '../definition/judged.decide.js';
import type { ActionEvent } from './action.events.js';
import type { ActionRecord } from './action.state.js';

/**
 * Puts the same secrets in place, sealed under another master key.
 *
 * Takes    the record with its secrets sealed anew, and the revision at which it was read.
 */
export function resealSecrets(
  { record, revision: judged }: { record: ActionRecord; revision: number },
  _state: unknown,
  revision: number,
): ActionEvent[] {
  requireUnmoved(judged, revision);
  return [{ type: 'ActionSecretResealed', data: { record } }];
}
