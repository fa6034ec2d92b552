import { decider } from '@aos/kernel';
import { paceMail } from './mail/pace.decide.js';
import { mailpaceKind } from './mailpace/mailpace.state.js';

/** All that can happen to the mails of an hour. */
export const mailpaceDecider = decider(mailpaceKind, { paceMail });
