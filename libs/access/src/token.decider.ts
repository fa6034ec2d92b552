import { decider } from '@aos/kernel';
import { tokenKind } from './token/token.state.js';
import { issueToken } from './tokens/tokens.decide.js';

/** All that can happen to a browser token. */
export const tokenDecider = decider(tokenKind, { issueToken });
