import { SettingsRefused } from '../settings/load-settings.js';
import type { Settings } from '../settings/load-settings.js';
import { type IdentityKeys, ownPublicKey } from './identity-tokens.js';
import { KeyRing, masterKeysIn } from './key-ring.js';

export interface ServiceKeys {
  readonly ring: KeyRing;
  readonly identities: IdentityKeys;
  /** What an operator should change; null when there is nothing. */
  readonly warning: string | null;
}

/** Has nothing to seal or to open: it only lets in and passes on. */
const sealsNothing = 'gateway';

/**
 * The keys of one program.
 *
 * Takes    its name, as `SVC_IDENTITY_KEYS` calls it, and the settings.
 * Gives    the keys for sealing and cursors, its own seed and the public keys that it believes. Keys that are not
 *          set follow from the master keys.
 * Refuses  `SettingsRefused`: a fleet's service that lacks one and has no master keys, and a seed that is not the one
 *          the others know under this name.
 */
export function serviceKeys(name: string, settings: Settings): ServiceKeys {
  const { composition, dataDir, sealKeys, cursorKeys, identitySeed: seed, identityKeys: believed } = settings;
  const isFleet = composition === 'fleet';
  const masters = settings.masterKeys ?? (isFleet ? [] : masterKeysIn(dataDir));
  const needed = {
    SVC_IDENTITY_SEED: seed,
    SVC_IDENTITY_KEYS: believed,
    SVC_CURSOR_KEYS: cursorKeys,
    ...(name === sealsNothing ? {} : { SVC_SEAL_KEYS: sealKeys }),
  };
  const lacking = Object.entries(needed)
    .filter(([, value]) => value === null)
    .map(([setting]) => setting);
  if (masters.length === 0 && lacking.length > 0)
    throw new SettingsRefused([`${lacking.join(', ')} is required, or SVC_MASTER_KEYS in place of all keys`]);
  if (
    seed &&
    believed &&
    !believed.some(({ issuer, publicKey }) => issuer === name && publicKey.equals(ownPublicKey(seed)))
  ) {
    throw new SettingsRefused([`SVC_IDENTITY_SEED: SVC_IDENTITY_KEYS names another public key for ${name}, or none`]);
  }
  return {
    ring: new KeyRing(masters, {
      ...(sealKeys ? { sealing: sealKeys, signed_urls: sealKeys, oauth_states: sealKeys } : {}),
      // of all keys that are not the master keys, the gateway, which opens tokens, has these alone
      ...(cursorKeys ? { cursors: cursorKeys, tokens: cursorKeys } : {}),
    }),
    identities: { seed, believed: believed ?? [] },
    warning: isFleet && masters.length > 0 ? masterWarning(lacking) : null,
  };
}

function masterWarning(lacking: readonly string[]): string {
  return lacking.length > 0
    ? `whoever reads SVC_MASTER_KEYS can sign as any service: give ${lacking.join(', ')}`
    : 'SVC_MASTER_KEYS is still believed: ' +
        'put its keys behind those of SVC_SEAL_KEYS and SVC_CURSOR_KEYS, then take it out';
}
