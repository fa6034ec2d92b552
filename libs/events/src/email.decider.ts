import { decider } from '@aos/kernel';
import { emailKind, receiveEmail } from './email/email.events.js';

/** All that can happen to a mail. */
export const emailDecider = decider(emailKind, { receiveEmail });
