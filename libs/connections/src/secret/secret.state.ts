import { unreachable, type StreamKind } from '@aos/kernel';
import { secretEvents, type SealedSecrets, type SecretEvent } from './secret.events.js';

export interface SecretState {
  readonly stored: SealedSecrets | null;
  /** 0 before the first event. */
  readonly version: number;
  readonly erased: boolean;
}

/** Each event says all there is, so that the last one alone is the state. */
export const secretKind: StreamKind<SecretState, SecretEvent> = {
  category: 'secret',
  events: secretEvents,
  stateVersion: 1,
  initial: () => ({ stored: null, version: 0, erased: false }),
  evolve(_state, event) {
    switch (event.type) {
      case 'SecretStored':
        return { stored: event.data, version: event.data.version, erased: false };
      case 'SecretErased':
        return { stored: null, version: event.data.version, erased: true };
      default:
        return unreachable(event);
    }
  },
};
