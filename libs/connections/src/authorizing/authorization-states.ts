import { Injectable } from '@nestjs/common';
import { KeyRing, SealedText } from '@aos/platform';

/** What the state of a flow stands for. `verifier`: of PKCE; it stands here only, until the code comes. */
export interface AuthorizationState {
  readonly orgId: string;
  readonly connectionId: string;
  readonly flowId: string;
  readonly verifier: string;
}

const textLengthMax = 2_048;

/** As it is sealed. */
type Sealed = { o: string; c: string; f: string; v: string };

/** States of the authorization code flow: sealed, so that one that is not ours costs no look-up (rule TE26). */
@Injectable()
export class AuthorizationStates {
  private readonly sealed: SealedText<Sealed>;

  constructor(keys: KeyRing) {
    this.sealed = new SealedText(keys, 'oauth_states', { resource: 'oauth-state', lengthMax: textLengthMax });
  }

  text({ orgId, connectionId, flowId, verifier }: AuthorizationState): string {
    return this.sealed.seal({ o: orgId, c: connectionId, f: flowId, v: verifier });
  }

  /** Null for a text that this service did not make, that was changed, or whose master key is gone. */
  open(text: string): AuthorizationState | null {
    const sealed = this.sealed.open(text);
    return sealed && { orgId: sealed.o, connectionId: sealed.c, flowId: sealed.f, verifier: sealed.v };
  }
}
