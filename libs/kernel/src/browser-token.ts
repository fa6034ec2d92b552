/**
 * What a browser token may do. Bit numbers in signed identities and sealed tokens are positions in this list and are
 * never reused.
 */
const tokenVerbs = ['read', 'invoke', 'nudge', 'answer'] as const;
export type TokenVerb = (typeof tokenVerbs)[number];

/** The sessions that a token reaches: those named, or those that tokens of one end user opened with an agent. */
export type TokenReach =
  | { readonly sessionIds: readonly string[] }
  | {
      readonly agentId: string;
      /** Salted hash of the key's principal and the end user. */
      readonly endUser: string;
    };

/** How a token narrows the identity of its key (rules A37, A38). */
export interface BrowserToken {
  /** `tok_...`, also in the audit. */
  readonly id: string;
  readonly verbs: ReadonlySet<TokenVerb>;
  /** Milliseconds since 1970; its key's end, if that is sooner. */
  readonly expiresAt: number;
  readonly reach: TokenReach;
  /** Origins of pages that may send it; absent where it was judged by another process before. */
  readonly origins?: readonly string[];
}

/** Whether a token reaches a session of its organization. */
export function tokenReaches(
  { reach }: Pick<BrowserToken, 'reach'>,
  session: { id: string; agent_id: string; end_user?: string },
): boolean {
  if ('sessionIds' in reach) return reach.sessionIds.includes(session.id);
  return session.agent_id === reach.agentId && session.end_user === reach.endUser;
}

export function verbsToBits(verbs: ReadonlySet<TokenVerb>): number {
  return tokenVerbs.reduce((bits, verb, bit) => (verbs.has(verb) ? bits | (1 << bit) : bits), 0);
}

export function verbsOfBits(bits: number): Set<TokenVerb> {
  return new Set(tokenVerbs.filter((_verb, bit) => (bits & (1 << bit)) !== 0));
}
