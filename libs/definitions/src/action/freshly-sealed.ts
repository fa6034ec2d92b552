import { SealBroken, Sealer } from '@aos/platform';
import type { SealedSecret } from './action.events.js';
import { secretOwner, type ActionRecord } from './action.state.js';

/**
 * Returns the record with its secrets sealed under the active master key. The record stays the same when they already
 * are, or when they cannot be opened any more.
 */
export function freshlySealed(sealer: Sealer, record: ActionRecord): ActionRecord {
  const { signing } = record.wire;
  if (!signing) return record;
  const again = <S extends SealedSecret>(secret: S): S => {
    try {
      return {
        ...secret,
        sealed: sealer.renewed(secret.sealed, secretOwner(record.org_id, record.id, secret.version)),
      };
    } catch (error) {
      if (error instanceof SealBroken) return secret;
      throw error;
    }
  };
  const next = { ...again(signing), previous: signing.previous && again(signing.previous) };
  if (next.sealed === signing.sealed && next.previous?.sealed === signing.previous?.sealed) return record;
  return { ...record, wire: { ...record.wire, signing: next } };
}
