import { defineEvents, event, type EventOf } from '@aos/kernel';

/** A mail that is answered, as it counts. */
export type PacedMail = {
  exchange_id: string;
  /** Address in lower case. */
  sender: string;
  at: string;
};

/**
 * All events of the mails that an inbox answered within one hour of the clock; one stream `mailpace-<id>` for each
 * hour, so that none grows beyond the mails that an hour may have.
 */
export const mailpaceEvents = defineEvents({ MailPaced: event<{ mail: PacedMail }>(1, {}, { since: 'messaging' }) });

export type MailpaceEvent = EventOf<typeof mailpaceEvents>;
