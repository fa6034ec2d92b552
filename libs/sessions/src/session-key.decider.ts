import { decider } from '@aos/kernel';
import { sessionKeyKind } from './session-key/session-key.state.js';
import { freeSessionKey } from './session-key/session-keys.decide.js';

/** All that can happen to a session's key. */
export const sessionKeyDecider = decider(sessionKeyKind, { freeSessionKey });
