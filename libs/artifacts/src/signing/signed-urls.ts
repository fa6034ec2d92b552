import { Inject, Injectable } from '@nestjs/common';
import { KeyRing, SealBroken, Sealer, Settings, publicUrlOf } from '@aos/platform';

/** What a signed URL stands for. */
export interface SignedClaims {
  readonly orgId: string;
  readonly artifactId: string;
  /** Of the key that made it. */
  readonly keyId: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

const tokenLengthMax = 1_024;
const sealPrefix = 's1.';
/** The organization is known once it is open, and stands in what is sealed. */
const owner = { orgId: '', resource: 'signed-url' };

/** As it is sealed. */
interface Sealed {
  o: string;
  a: string;
  k: string;
  e: number;
}

/** URLs that need no key: what they stand for, sealed, so that nothing is looked up to know it (rule TE7). */
@Injectable()
export class SignedUrls {
  private readonly sealer: Sealer;
  private readonly base: string;

  constructor(keys: KeyRing, @Inject(Settings) settings: Pick<Settings, 'publicUrl' | 'host' | 'port'>) {
    this.sealer = new Sealer(keys, 'signed_urls');
    this.base = publicUrlOf(settings);
  }

  url({ orgId, artifactId, keyId, expiresAt }: SignedClaims): string {
    const sealed: Sealed = { o: orgId, a: artifactId, k: keyId, e: expiresAt };
    return `${this.base}/v1/signed/${this.sealer.seal(JSON.stringify(sealed), owner).slice(sealPrefix.length)}`;
  }

  /** Null for a text that this service did not make, that was changed, or whose master key is gone. */
  open(token: string): SignedClaims | null {
    if (token.length > tokenLengthMax) return null;
    try {
      const { o, a, k, e } = JSON.parse(this.sealer.open(sealPrefix + token, owner)) as Sealed;
      return { orgId: o, artifactId: a, keyId: k, expiresAt: e };
    } catch (error) {
      if (error instanceof SealBroken) return null;
      throw error;
    }
  }
}
