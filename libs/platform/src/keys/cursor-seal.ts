import { createCipheriv, createDecipheriv, createHmac, hash } from 'node:crypto';
import { Refusal, canonicalJson } from '@aos/kernel';
import type { KeyRing } from './key-ring.js';

/** Where a cursor is good: one organization, one list or stream, one set of filters. */
export interface CursorScope {
  readonly orgId: string;
  /** Name of the list, such as `agents`, or of one stream, such as `transcript/ses_...`. */
  readonly list: string;
  /** The filters of the query without `cursor` and `limit`; absent members and `undefined` are the same. */
  readonly filters?: Readonly<Record<string, unknown>>;
}

const nonceBytes = 9;
const tagBytes = 12;
const positionBytesMax = 140;
const keyIdLengthMax = 32;
const sealForm = new RegExp(`^([A-Za-z0-9_-]{1,${keyIdLengthMax}})\\.([A-Za-z0-9_-]{28,})$`);

/**
 * Opaque positions in lists and streams: encrypted, so that clients cannot read meaning into them, and bound to their
 * scope.
 *
 * Gives    URL-safe characters, at most 256 where positions have their usual length.
 * Refuses  `invalid_cursor` for text of ours used elsewhere, changed text, and text that the service did not make.
 * Source   rules G4, F12; control S19.
 */
export class CursorSeal {
  constructor(private readonly keys: KeyRing) {}

  /**
   * Takes a position of at most 140 bytes, or as many as its list says; a longer one is a fault of the caller and
   * throws.
   */
  seal(position: string, scope: CursorScope, bytesMax = positionBytesMax): string {
    const plain = Buffer.from(position, 'utf8');
    if (plain.length > bytesMax) throw new Error(`position of ${plain.length} bytes does not fit a cursor`);
    const { keyId, key } = this.keys.active('cursors');
    // From the content: the same place always has the same cursor (rule T5), and two places never share a nonce.
    const digest = scopeDigest(scope);
    const nonce = createHmac('sha256', key).update(digest).update(plain).digest().subarray(0, nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', key, padded(nonce), { authTagLength: tagBytes });
    cipher.setAAD(digest);
    const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    return `${keyId}.${sealed.toString('base64url')}`;
  }

  /** Gives the position. `bytesMax` as it was sealed with. */
  open(cursor: string, scope: CursorScope, bytesMax = positionBytesMax): string {
    const match = cursor.length <= cursorLengthMax(bytesMax) ? sealForm.exec(cursor) : null;
    const key = match?.[1] === undefined ? null : this.keys.find('cursors', match[1]);
    const bytes = Buffer.from(match?.[2] ?? '', 'base64url');
    if (!key || bytes.length < nonceBytes + tagBytes || bytes.toString('base64url') !== match?.[2])
      throw invalidCursor();
    const decipher = createDecipheriv('aes-256-gcm', key.key, padded(bytes.subarray(0, nonceBytes)), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(scopeDigest(scope));
    decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes));
    try {
      return Buffer.concat([
        decipher.update(bytes.subarray(nonceBytes, bytes.length - tagBytes)),
        decipher.final(),
      ]).toString('utf8');
    } catch {
      throw invalidCursor();
    }
  }
}

export function invalidCursor(): Refusal {
  return new Refusal('invalid_cursor', {}, 'the cursor was not issued for this list');
}

/** Characters of the longest cursor to a position of so many bytes. */
function cursorLengthMax(bytesMax: number): number {
  return keyIdLengthMax + 1 + Math.ceil(((nonceBytes + bytesMax + tagBytes) * 4) / 3);
}

function padded(nonce: Buffer): Buffer {
  return Buffer.concat([nonce, Buffer.alloc(12 - nonceBytes)]);
}

function scopeDigest({ orgId, list, filters }: CursorScope): Buffer {
  const text = filters ? canonicalJson([orgId, list, filters]) : JSON.stringify([orgId, list, {}]);
  return hash('sha256', text, 'buffer');
}
