import { Injectable } from '@nestjs/common';
import { KeyRing, SealBroken, Sealer } from '@aos/platform';

/** What the state of a flow stands for. `verifier`: of PKCE; it stands here only, until the code comes. */
export interface AuthorizationState {
  readonly orgId: string;
  readonly connectionId: string;
  readonly flowId: string;
  readonly verifier: string;
}

const textLengthMax = 2_048;
const sealPrefix = 's1.';
/** The organization is known once it is open, and stands in what is sealed. */
const owner = { orgId: '', resource: 'oauth-state' };

/** As it is sealed. */
interface Sealed {
  o: string;
  c: string;
  f: string;
  v: string;
}

/** States of the authorization code flow: sealed, so that one that is not ours costs no look-up (rule TE26). */
@Injectable()
export class AuthorizationStates {
  private readonly sealer: Sealer;

  constructor(keys: KeyRing) {
    this.sealer = new Sealer(keys, 'oauth_states');
  }

  text({ orgId, connectionId, flowId, verifier }: AuthorizationState): string {
    const sealed: Sealed = { o: orgId, c: connectionId, f: flowId, v: verifier };
    return this.sealer.seal(JSON.stringify(sealed), owner).slice(sealPrefix.length);
  }

  /** Null for a text that this service did not make, that was changed, or whose master key is gone. */
  open(text: string): AuthorizationState | null {
    if (text.length > textLengthMax) return null;
    try {
      const { o, c, f, v } = JSON.parse(this.sealer.open(sealPrefix + text, owner)) as Sealed;
      return { orgId: o, connectionId: c, flowId: f, verifier: v };
    } catch (error) {
      if (error instanceof SealBroken) return null;
      throw error;
    }
  }
}
