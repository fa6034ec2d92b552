import { unreachable, type StreamKind } from '@aos/kernel';
import { tokenEvents, type TokenEvent, type TokenRecord } from './token.events.js';

/** What was issued. No request reads it: a token says itself what it may do. */
export interface TokenState {
  readonly token: TokenRecord | null;
}

export const tokenKind: StreamKind<TokenState, TokenEvent> = {
  category: 'token',
  events: tokenEvents,
  stateVersion: 1,
  initial: () => ({ token: null }),
  evolve(_state, { type, data }) {
    switch (type) {
      case 'TokenIssued':
        return { token: data.token };
      default:
        return unreachable(type);
    }
  },
};
