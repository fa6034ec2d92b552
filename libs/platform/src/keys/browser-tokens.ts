import { verbsOfBits, verbsToBits, type BrowserToken, type TokenReach } from '@aos/kernel';
import type { KeyRing } from './key-ring.js';
import { SealedText } from './sealed-text.js';

/** What a token says: made once, and never looked up. */
export interface TokenClaims extends Pick<BrowserToken, 'id' | 'verbs' | 'expiresAt' | 'reach'> {
  readonly orgId: string;
  readonly keyId: string;
  /** Null: all that the service lets in. */
  readonly origins: readonly string[] | null;
}

const prefix = 'svct_';
const textLengthMax = 8_192;
const textForm = /^svct_[A-Za-z0-9_-]{1,32}\.[A-Za-z0-9_-]{38,}$/;

/** As it is sealed: short names, as the text travels with each request. */
type Sealed = {
  i: string;
  o: string;
  k: string;
  v: number;
  e: number;
  s?: string[];
  a?: [agentId: string, endUser: string];
  g: string[] | null;
};

/**
 * Browser tokens: what they say, sealed, so that nothing is looked up to know it and a page can neither read nor change
 * it.
 *
 * Gives    text `svct_<kid>.<base64url>`, at most 8,192 characters.
 * Source   rule A37; ADR 27.
 */
export class BrowserTokens {
  private readonly sealed: SealedText<Sealed>;

  constructor(keys: KeyRing) {
    this.sealed = new SealedText(keys, 'tokens', { resource: 'browser-token', lengthMax: textLengthMax });
  }

  seal({ id, orgId, keyId, verbs, expiresAt, reach, origins }: TokenClaims): string {
    const sealed = this.sealed.seal({
      i: id,
      o: orgId,
      k: keyId,
      v: verbsToBits(verbs),
      e: expiresAt,
      ...('sessionIds' in reach ? { s: [...reach.sessionIds] } : { a: [reach.agentId, reach.endUser] }),
      g: origins && [...origins],
    });
    const text = prefix + sealed;
    if (text.length > textLengthMax) throw new Error(`a token of ${text.length} characters is too long`);
    return text;
  }

  /** Null for a text that this service did not make, that was changed, or whose master key is gone. */
  open(text: string): TokenClaims | null {
    if (!isTokenText(text)) return null;
    const sealed = this.sealed.open(text.slice(prefix.length));
    return sealed && claimsOf(sealed);
  }
}

function claimsOf({ i: id, o: orgId, k: keyId, v, e: expiresAt, s, a, g: origins }: Sealed): TokenClaims {
  const reach: TokenReach = a ? { agentId: a[0], endUser: a[1] } : { sessionIds: s ?? [] };
  return { id, orgId, keyId, verbs: verbsOfBits(v), expiresAt, reach, origins };
}

function isTokenText(text: string): boolean {
  return text.length <= textLengthMax && textForm.test(text);
}

/** The text behind `Bearer`, or null when it has not the form of a token. */
export function bearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization.length > textLengthMax + 16) return null;
  const text = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  return text !== undefined && isTokenText(text) ? text : null;
}
