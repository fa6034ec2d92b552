import { unreachable, type StreamKind } from '@aos/kernel';
import { apiKeyEvents, type ApiKeyEvent, type ApiKeyRecord } from './apikey.events.js';

export interface ApiKeyState {
  readonly key: ApiKeyRecord | null;
  readonly revoked: boolean;
}

export const apiKeyKind: StreamKind<ApiKeyState, ApiKeyEvent> = {
  category: 'apikey',
  events: apiKeyEvents,
  stateVersion: 1,
  initial: () => ({ key: null, revoked: false }),
  evolve(state, { type, data }) {
    switch (type) {
      case 'KeyIssued':
        return { key: data.key, revoked: false };
      case 'KeyRevoked':
        return { ...state, revoked: true };
      default:
        return unreachable(type);
    }
  },
};

/** True while the key authenticates: it is neither revoked nor expired. `now` in milliseconds since 1970. */
export function isLive(state: ApiKeyState, now: number): boolean {
  if (!state.key || state.revoked) return false;
  return state.key.expires_at === null || Date.parse(state.key.expires_at) > now;
}
