import { decider } from '@aos/kernel';
import { exchangeKind } from './exchange/exchange.state.js';
import { abandon, admit, arrive } from './exchanges/admission.decide.js';
import { endReply, startReply } from './exchanges/replies.decide.js';

/** All that can happen to an exchange. */
export const exchangeDecider = decider(exchangeKind, { arrive, admit, abandon, startReply, endReply });
