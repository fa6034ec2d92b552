import type { Json } from '@aos/kernel';
import type { KeyPurpose, KeyRing } from './key-ring.js';
import { SealBroken, Sealer, type SealedFor } from './sealer.js';

const sealPrefix = 's1.';

/**
 * What a text of ours stands for, sealed in it, so that nothing is looked up to know it.
 *
 * Takes    the purpose of its key, what it is (it opens as nothing else), and its greatest length.
 * Gives    text `<kid>.<base64url>`.
 */
export class SealedText<Claims extends Json> {
  private readonly sealer: Sealer;
  /** The organization is known once it is open, and stands in what is sealed. */
  private readonly owner: SealedFor;

  constructor(
    keys: KeyRing,
    purpose: KeyPurpose,
    private readonly what: { resource: string; lengthMax: number },
  ) {
    this.sealer = new Sealer(keys, purpose);
    this.owner = { orgId: '', resource: what.resource };
  }

  seal(claims: Claims): string {
    return this.sealer.seal(JSON.stringify(claims), this.owner).slice(sealPrefix.length);
  }

  /** Null for a text that this service did not make, that was changed, or whose master key is gone. */
  open(text: string): Claims | null {
    if (text.length > this.what.lengthMax) return null;
    try {
      return JSON.parse(this.sealer.open(sealPrefix + text, this.owner)) as Claims;
    } catch (error) {
      if (error instanceof SealBroken) return null;
      throw error;
    }
  }
}
