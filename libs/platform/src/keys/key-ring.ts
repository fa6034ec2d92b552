import { type KeyObject, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { masterKeys } from '../settings/parsers.js';
import type { MasterKey } from '../settings/parsers.js';

/** One derived key per purpose, so that a value of one purpose means nothing to another. */
export type KeyPurpose = 'sealing' | 'cursors' | 'identities';

export interface DerivedKey {
  readonly keyId: string;
  /** 32 bytes. */
  readonly secret: Buffer;
  /** The same, made ready once: a cipher or a MAC that is given the bytes makes this anew on each use. */
  readonly key: KeyObject;
}

/** The master keys and what is derived from them. The first master key makes new values; the others still open old ones. */
export class KeyRing {
  private readonly derived = new Map<string, DerivedKey>();

  constructor(private readonly masters: readonly MasterKey[]) {
    if (masters.length === 0) throw new Error('a key ring needs a master key');
  }

  active(purpose: KeyPurpose): DerivedKey {
    return this.derive(this.masters[0] as MasterKey, purpose);
  }

  find(purpose: KeyPurpose, keyId: string): DerivedKey | null {
    const master = this.masters.find((key) => key.keyId === keyId);
    return master ? this.derive(master, purpose) : null;
  }

  private derive(master: MasterKey, purpose: KeyPurpose): DerivedKey {
    const name = `${purpose}:${master.keyId}`;
    const known = this.derived.get(name);
    if (known) return known;
    const secret = Buffer.from(hkdfSync('sha256', master.secret, Buffer.alloc(0), `svc ${purpose} v1`, 32));
    const key = { keyId: master.keyId, secret, key: createSecretKey(secret) };
    this.derived.set(name, key);
    return key;
  }
}

const FILE_NAME = 'master-keys';

/**
 * The master keys of an embedded data folder; made on first use.
 *
 * Takes    the data folder; it is made when absent.
 * Gives    the keys of `<folder>/master-keys`, a file with mode 0600, on disk before this returns.
 * Refuses  a file that other users can read, or that holds no keys.
 */
export function masterKeysIn(dataDir: string): readonly MasterKey[] {
  mkdirSync(dataDir, { recursive: true });
  const file = join(dataDir, FILE_NAME);
  const made = makeKeyFile(file);
  if (made !== null) return masterKeys(made);
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    throw new Error(`${file} can be read by other users: chmod 600 it, or delete it if nothing was stored yet`);
  }
  return masterKeys(readFileSync(file, 'utf8').trim());
}

/** Gives the text of a new file, or null when there is one. */
function makeKeyFile(file: string): string | null {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null;
    throw error;
  }
  try {
    const line = newMasterKey();
    writeSync(descriptor, `${line}\n`);
    fsyncSync(descriptor);
    return line;
  } finally {
    closeSync(descriptor);
  }
}

/** A fresh entry for `SVC_MASTER_KEYS`. */
export function newMasterKey(): string {
  return `k${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}`;
}
