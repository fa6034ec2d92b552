import { hash32, type StreamKind } from '@aos/kernel';
import { mailpaceEvents, type MailpaceEvent, type PacedMail } from './mailpace.events.js';
import { hourMs } from './mailpace.limits.js';

export interface MailpaceState {
  readonly mails: readonly PacedMail[];
}

export const mailpaceKind: StreamKind<MailpaceState, MailpaceEvent> = {
  category: 'mailpace',
  events: mailpaceEvents,
  stateVersion: 1,
  initial: () => ({ mails: [] }),
  evolve: ({ mails }, { data }) => ({ mails: [...mails, data.mail] }),
};

/** The id of the hour of the clock that a time lies in, for one binding. */
export function mailpaceId(bindingId: string, atMs: number): string {
  return `pace_${hash32(JSON.stringify([bindingId, Math.floor(atMs / hourMs)]))}`;
}
