import { decider } from '@aos/kernel';
import { secretKind } from './secret/secret.state.js';
import { changeSecret, eraseSecret, resealSecret, storeSecret } from './secret/storing.decide.js';

/** All that can happen to a secret. */
export const secretDecider = decider(secretKind, { storeSecret, changeSecret, resealSecret, eraseSecret });
