import { Inject, Injectable } from '@nestjs/common';
import { KeyRing, SealedText, Settings, publicUrlOf } from '@aos/platform';

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

/** As it is sealed. */
type Sealed = { o: string; a: string; k: string; e: number };

/** URLs that need no key: what they stand for, sealed, so that nothing is looked up to know it (rule TE7). */
@Injectable()
export class SignedUrls {
  private readonly sealed: SealedText<Sealed>;
  private readonly base: string;

  constructor(keys: KeyRing, @Inject(Settings) settings: Pick<Settings, 'publicUrl' | 'host' | 'port'>) {
    this.sealed = new SealedText(keys, 'signed_urls', { resource: 'signed-url', lengthMax: tokenLengthMax });
    this.base = publicUrlOf(settings);
  }

  url({ orgId, artifactId, keyId, expiresAt }: SignedClaims): string {
    return `${this.base}/v1/signed/${this.sealed.seal({ o: orgId, a: artifactId, k: keyId, e: expiresAt })}`;
  }

  /** Null for a text that this service did not make, that was changed, or whose master key is gone. */
  open(token: string): SignedClaims | null {
    const sealed = this.sealed.open(token);
    return sealed && { orgId: sealed.o, artifactId: sealed.a, keyId: sealed.k, expiresAt: sealed.e };
  }
}
