import { decider } from '@aos/kernel';
import { apiKeyKind } from './apikey/apikey.state.js';
import { issueKey, revokeKey } from './keys/keys.decide.js';

/** All that can happen to an API key. */
export const apiKeyDecider = decider(apiKeyKind, { issueKey, revokeKey });
