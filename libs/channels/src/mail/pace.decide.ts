import type { MailpaceEvent, PacedMail } from '../mailpace/mailpace.events.js';
import { hourMs, perBindingMax, perSenderMax } from '../mailpace/mailpace.limits.js';
import type { MailpaceState } from '../mailpace/mailpace.state.js';

/**
 * Counts a mail among those that an inbox answers.
 *
 * Takes    `before`: the mails of the hour of the clock before.
 * Gives    nothing for a mail that is counted already, or is over a limit: `whyNotPaced` tells them apart.
 * Source   rule TE16.
 */
export function paceMail(
  command: { mail: PacedMail; before: readonly PacedMail[] },
  state: MailpaceState,
): MailpaceEvent[] {
  const { mail, before } = command;
  if (isPaced(mail, state) || whyNotPaced(mail, before, state) !== null) return [];
  return [{ type: 'MailPaced', data: { mail } }];
}

/** Why a mail is over a limit; null when it is not, or is counted. */
export function whyNotPaced(
  mail: PacedMail,
  before: readonly PacedMail[],
  state: MailpaceState,
): 'sender_rate' | 'binding_rate' | null {
  if (isPaced(mail, state)) return null;
  const since = Date.parse(mail.at) - hourMs;
  const counted = [...before, ...state.mails].filter(({ at }) => Date.parse(at) > since);
  if (counted.filter(({ sender }) => sender === mail.sender).length >= perSenderMax) return 'sender_rate';
  return counted.length >= perBindingMax ? 'binding_rate' : null;
}

function isPaced({ exchange_id: id }: PacedMail, { mails }: MailpaceState): boolean {
  return mails.some(({ exchange_id: known }) => known === id);
}
