// The keys of a fleet on one machine: a seed for each service, the public keys that all believe, and one key each for
// sealing and for cursors.
import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');
const spkiHeadLength = 12;
const names = ['SVC_MASTER_KEYS', 'SVC_IDENTITY_SEED', 'SVC_IDENTITY_KEYS', 'SVC_SEAL_KEYS', 'SVC_CURSOR_KEYS'];

/** Takes a seed in base64; gives its public key in base64. */
export function publicKeyOf(seed) {
  const key = createPrivateKey({
    key: Buffer.concat([pkcs8Head, Buffer.from(seed, 'base64')]),
    format: 'der',
    type: 'pkcs8',
  });
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(spkiHeadLength).toString('base64');
}

export const newSeed = () => randomBytes(32).toString('base64');
export const newKey = () => `k${randomBytes(4).toString('hex')}:${newSeed()}`;

/** Gives the text of a file, which it makes when it is not there. Refuses one that other users can read. */
function kept(file, make) {
  try {
    writeFileSync(file, `${make()}\n`, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if ((statSync(file).mode & 0o077) !== 0)
      throw new Error(`${file} can be read by other users: chmod 600 it`, { cause: error });
  }
  return readFileSync(file, 'utf8').trim();
}

/**
 * Takes the environment, the data directory and the names of the services. Gives the settings of one service by its
 * name.
 *
 * Keys that the environment gives are used as they are. What an earlier release sealed with the master keys of the data
 * directory still opens.
 */
export function fleetKeys(env, dataDir, services) {
  if (names.some((name) => env[name]?.trim() || env[`${name}_FILE`]?.trim())) return () => ({});
  const folder = join(dataDir, 'keys');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const seedFile = (service) => join(folder, `${service}.seed`);
  const published = [...services, 'operator'].map(
    (service) => `${service}:${publicKeyOf(kept(seedFile(service), newSeed))}`,
  );
  const earlier = join(dataDir, 'master-keys');
  const withEarlier = () => [newKey(), ...(existsSync(earlier) ? [kept(earlier, newKey)] : [])].join(',');
  const shared = { SVC_IDENTITY_KEYS: published.join(',') };
  for (const [name, file] of [
    ['SVC_SEAL_KEYS', 'seal-keys'],
    ['SVC_CURSOR_KEYS', 'cursor-keys'],
  ]) {
    kept(join(folder, file), withEarlier);
    shared[`${name}_FILE`] = join(folder, file);
  }
  return (service) => {
    const { SVC_SEAL_KEYS_FILE: sealing, ...others } = shared;
    return {
      ...others,
      ...(service === 'gateway' ? {} : { SVC_SEAL_KEYS_FILE: sealing }),
      SVC_IDENTITY_SEED_FILE: seedFile(service),
    };
  };
}
