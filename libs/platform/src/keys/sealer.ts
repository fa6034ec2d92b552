import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { KeyPurpose, KeyRing } from './key-ring.js';

const nonceBytes = 12;
const tagBytes = 16;
const sealForm = /^s1\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/;

/** What a sealed value belongs to: it opens nowhere else. */
export interface SealedFor {
  readonly orgId: string;
  /** Resource and field, such as `action/act_.../secret/2`. */
  readonly resource: string;
}

/** The value is not one of ours, was changed, belongs elsewhere, or its master key is gone. */
export class SealBroken extends Error {
  constructor(reason: string) {
    super(`sealed value cannot be opened: ${reason}`);
    this.name = 'SealBroken';
  }
}

/**
 * Secrets at rest: AES-256-GCM with a fresh nonce, the key id beside it, bound to organization and resource.
 *
 * Gives    text `s1.<kid>.<base64url of nonce, ciphertext, tag>`.
 * Source   control S32.
 */
export class Sealer {
  constructor(
    private readonly keys: KeyRing,
    private readonly purpose: KeyPurpose = 'sealing',
  ) {}

  seal(plain: string, owner: SealedFor): string {
    const { keyId, secret } = this.keys.active(this.purpose);
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', secret, nonce);
    cipher.setAAD(boundTo(keyId, owner));
    const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `s1.${keyId}.${sealed.toString('base64url')}`;
  }

  /** Throws `SealBroken`. */
  open(sealed: string, owner: SealedFor): string {
    const match = sealForm.exec(sealed);
    const keyId = match?.[1];
    const bytes = Buffer.from(match?.[2] ?? '', 'base64url');
    if (keyId === undefined || bytes.length < nonceBytes + tagBytes || bytes.toString('base64url') !== match?.[2])
      throw new SealBroken('not a sealed value');
    const key = this.keys.find(this.purpose, keyId);
    if (!key) throw new SealBroken(`no master key ${keyId}`);
    const decipher = createDecipheriv('aes-256-gcm', key.secret, bytes.subarray(0, nonceBytes));
    decipher.setAAD(boundTo(keyId, owner));
    decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes));
    try {
      return Buffer.concat([
        decipher.update(bytes.subarray(nonceBytes, bytes.length - tagBytes)),
        decipher.final(),
      ]).toString('utf8');
    } catch {
      throw new SealBroken('it was changed or belongs elsewhere');
    }
  }

  /** The same secret under the active master key; as it is when it is so already. Throws `SealBroken`. */
  renewed(sealed: string, owner: SealedFor): string {
    return this.isStale(sealed) ? this.seal(this.open(sealed, owner), owner) : sealed;
  }

  /** True when it was made with a master key that is no longer the active one. */
  isStale(sealed: string): boolean {
    return sealForm.exec(sealed)?.[1] !== this.keys.active(this.purpose).keyId;
  }
}

function boundTo(keyId: string, { orgId, resource }: SealedFor): Buffer {
  return Buffer.from(JSON.stringify([keyId, orgId, resource]));
}
