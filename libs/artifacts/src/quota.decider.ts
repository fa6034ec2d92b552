import { decider } from '@aos/kernel';
import { releaseBytes, reserveBytes, settleBytes, settleText } from './quota/quota.decide.js';
import { quotaKind } from './quota/quota.state.js';

export const quotaDecider = decider(quotaKind, { reserveBytes, settleBytes, settleText, releaseBytes });
