import { given } from '@aos/kernel/testing';
import type { MailpaceEvent, PacedMail } from '../mailpace/mailpace.events.js';
import { hourMs, perBindingMax, perSenderMax } from '../mailpace/mailpace.limits.js';
import { mailpaceId, mailpaceKind } from '../mailpace/mailpace.state.js';
import { paceMail, whyNotPaced } from './pace.decide.js';

const start = Date.parse('2026-01-01T10:00:00.000Z');
const mailOf = (n: number, sender = 'ann@example.org', atMs = start): PacedMail => ({
  exchange_id: `exch_${n}`,
  sender,
  at: new Date(atMs).toISOString(),
});
const paced = (mail: PacedMail): MailpaceEvent => ({ type: 'MailPaced', data: { mail } });
const many = (count: number, sender?: (n: number) => string, atMs = start) =>
  Array.from({ length: count }, (_, n) => mailOf(n, sender?.(n), atMs));

describe('TE16: mails that an inbox answers within an hour', () => {
  it('are twenty of one sender, and each counts once', () => {
    const known = many(perSenderMax - 1).map(paced);
    const next = mailOf(100);
    given(mailpaceKind, ...known)
      .when((state) => paceMail({ mail: next, before: [] }, state))
      .thenEvents(paced(next));
    given(mailpaceKind, ...known, paced(next))
      .when((state) => paceMail({ mail: next, before: [] }, state))
      .thenNothing();
    given(mailpaceKind, ...known, paced(next))
      .when((state) => paceMail({ mail: mailOf(101), before: [] }, state))
      .thenNothing();
    const full = { mails: [...many(perSenderMax - 1), next] };
    expect(whyNotPaced(next, [], full)).toBeNull();
    expect(whyNotPaced(mailOf(101), [], full)).toBe('sender_rate');
    expect(whyNotPaced(mailOf(101, 'bob@example.org'), [], full)).toBeNull();
  });

  it('are two hundred of all senders', () => {
    const mails = many(perBindingMax, (n) => `sender-${n}@example.org`);
    expect(whyNotPaced(mailOf(500), [], { mails })).toBe('binding_rate');
    expect(whyNotPaced(mailOf(500), [], { mails: mails.slice(1) })).toBeNull();
  });

  it('count those of the hour of the clock before, as long as they are an hour old', () => {
    const before = many(perSenderMax);
    const at = (ms: number) => mailOf(100, undefined, start + ms);
    expect(whyNotPaced(at(hourMs - 1), before, { mails: [] })).toBe('sender_rate');
    expect(whyNotPaced(at(hourMs), before, { mails: [] })).toBeNull();
    expect(mailpaceId('chan_1', start)).not.toBe(mailpaceId('chan_1', start + hourMs));
    expect(mailpaceId('chan_1', start)).toBe(mailpaceId('chan_1', start + hourMs - 1));
    expect(mailpaceId('chan_1', start)).not.toBe(mailpaceId('chan_2', start));
  });
});
