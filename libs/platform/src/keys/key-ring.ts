import { type KeyObject, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { StartFault } from '@aos/kernel';
import { secretKeys } from '../settings/parsers.js';
import type { MasterKey } from '../settings/parsers.js';

/** One derived key per purpose, so that a value of one purpose means nothing to another. */
export type KeyPurpose = 'sealing' | 'cursors' | 'identities' | 'tokens' | 'signed_urls' | 'oauth_states';

export interface DerivedKey {
  readonly keyId: string;
  /** 32 bytes. */
  readonly secret: Buffer;
  /** The same, made ready once: a cipher or a MAC that is given the bytes makes this anew on each use. */
  readonly key: KeyObject;
}

/**
 * The keys of each purpose: its own first, then the master keys, each derived for the purpose. The first one makes new
 * values; the others still open old ones. A master key that is given as a purpose's own key opens what it made as
 * master key.
 */
export class KeyRing {
  private readonly derived = new Map<string, DerivedKey>();

  constructor(
    private readonly masters: readonly MasterKey[],
    private readonly own: Partial<Record<KeyPurpose, readonly MasterKey[]>> = {},
  ) {}

  active(purpose: KeyPurpose): DerivedKey {
    const [first] = this.keysOf(purpose);
    if (!first) throw new Error(`there is no key for ${purpose}`);
    return this.derive(first, purpose);
  }

  find(purpose: KeyPurpose, keyId: string): DerivedKey | null {
    const found = this.keysOf(purpose).find((key) => key.keyId === keyId);
    return found ? this.derive(found, purpose) : null;
  }

  private keysOf(purpose: KeyPurpose): readonly MasterKey[] {
    const own = this.own[purpose];
    return own ? [...own, ...this.masters] : this.masters;
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

const fileName = 'master-keys';

/**
 * The master keys of an embedded data folder; made on first use.
 *
 * Takes    the data folder; it is made when absent.
 * Gives    the keys of `<folder>/master-keys`, a file with mode 0600, on disk before this returns.
 * Refuses  a file that other users can read, or that holds no keys.
 */
export function masterKeysIn(dataDir: string): readonly MasterKey[] {
  mkdirSync(dataDir, { recursive: true });
  const file = join(dataDir, fileName);
  const made = makeKeyFile(file);
  if (made !== null) return secretKeys(made);
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    throw new StartFault(
      `SVC_DATA_DIR: ${file} can be read by other users: chmod 600 it, or delete it if nothing was stored yet.`,
    );
  }
  return secretKeys(readFileSync(file, 'utf8').trim());
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
